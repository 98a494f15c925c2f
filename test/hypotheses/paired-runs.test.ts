import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { CUT_SHARES } from '../../shared/hypotheses/h08.ts'
import { pairedRun, pairing, rows, second, verdict } from './beside.ts'

describe('H08', () => {
  describe('of answers in other words, so that nothing tells whether they are scored alike', () => {
    const MEANS = 'difference of the mean rewards of the questions that both runs have'
    /** Sixteen questions, four rollouts each, of which `right` of eight are rewarded. */
    const run = (right: (i: number) => boolean, words: string) =>
      rows(64, (i) => ({
        pairing: pairing(i >> 2, { answer: `${words} ${i}` }),
        promptHash: `p${i >> 2}`,
        reward: right(i) ? 1 : 0,
      }))
    const none = run(() => false, 'here')
    const some = run((i) => i % 7 < 2, 'there')
    const meansIn = ({ because }: ReturnType<typeof verdict>) =>
      because.find(({ measure }) => measure.startsWith(MEANS))

    it('is inconclusive where mean rewards differ beyond chance, and says which', () => {
      for (const [here, there] of [
        [none, some],
        [some, none],
      ] as const) {
        const found = verdict('H08', here, second(there))
        expect(found).toMatchObject({
          verdict: 'inconclusive',
          missing: ['answers in the same words, with rewards in both runs'],
        })
        expect(meansIn(found)).toMatchObject({ value: 19 / 64, comparison: '>' })
        expect(meansIn(found)?.measure).toBe(`${MEANS}, beyond chance, by the model or by how it is scored`)
        expect(found.because.filter(({ measure }) => measure.startsWith('mean reward of these')).length).toBe(2)
        expect(found.would_change.join()).toContain('answers in the same words are rewarded alike in both runs')
      }
    })

    it('is contradicted where they differ by chance', () => {
      const other = run((i) => (i + 2) % 7 < 2, 'again')
      const found = verdict('H08', some, second(other))
      expect(found).toMatchObject({ verdict: 'contradicted', confidence: 'high' })
      expect(meansIn(found)).toMatchObject({ measure: MEANS, comparison: '<=' })
    })

    it('is contradicted where a better model gives answers in the same words that are rewarded alike', () => {
      const learnt = some.map((row, i) =>
        i > 2 ? row : { ...row, reward: 0, pairing: pairing(i >> 2, { answer: `here ${i}` }) },
      )
      expect(verdict('H08', none, second(learnt)).verdict).toBe('contradicted')
    })

    it('asks the rollouts of a single question how they scatter', () => {
      const one = (right: number) =>
        rows(20, (i) => ({
          pairing: pairing(0, { answer: `${right} ${i}` }),
          promptHash: 'p',
          reward: i < right ? 1 : 0,
        }))
      expect(verdict('H08', one(8), second(one(10))).verdict).toBe('contradicted')
      expect(verdict('H08', one(0), second(one(10))).verdict).toBe('inconclusive')
    })
  })

  it.each([
    ['supported', 'tool', 1],
    ['contradicted', 'user', 0],
    // Some tools of an environment stand under a role of their own.
    ['contradicted', 'ipython user', 0],
  ] as const)('is %s where replies stand under user in one run and under %s in the other', (expected, role, share) => {
    const run = (replyRoles: string) => pairedRun((i) => ({ pairing: pairing(i, { replyRoles }) }))
    const found = verdict('H08', run('user'), second(run(role)))
    expect(found.verdict).toBe(expected)
    const line = found.because.find(({ measure }) => /replies stand under another role/.test(measure))
    expect(line).toMatchObject({ value: share, speaks: share === 1 ? 'for' : 'against' })
    expect(verdict('H08', run('user'), { ...second(run(role)), tokenizer: 'llama3' }).verdict).not.toBe('supported')
  })

  it('is neither where only some replies stand under another role', () => {
    const run = (role: (i: number) => string) => pairedRun((i) => ({ pairing: pairing(i, { replyRoles: role(i) }) }))
    const mixed = run((i) => (i % 2 ? 'tool' : 'user'))
    expect(
      verdict(
        'H08',
        run(() => 'user'),
        second(mixed),
      ).verdict,
    ).toBe('inconclusive')
  })

  describe('of rollouts that a limit of turns ended', () => {
    const mostly = (unanswered: TrajectoryFacts['unanswered']) =>
      pairedRun((i) => ({ endReason: 'stop', ...(i % 4 && unanswered !== undefined ? { unanswered } : {}) }))
    const judged = (here: TrajectoryFacts['unanswered'], there: TrajectoryFacts['unanswered']) =>
      verdict('H08', mostly(here), second(mostly(there)))

    it('is supported where the other run lets them answer', () => {
      const found = judged(undefined, 'turn-limit')
      expect(found.verdict).toBe('supported')
      expect(found.because[0]).toMatchObject({ measure: CUT_SHARES, value: 0.75 })
    })

    it('is not where both have the limit, nor where one leaves open what ended its own', () => {
      expect(judged('turn-limit', 'turn-limit').verdict).toBe('contradicted')
      expect(judged('untold', 'turn-limit').verdict).toBe('contradicted')
      expect(judged(undefined, 'untold').verdict).toBe('contradicted')
    })
  })

  it.each([
    ['supported', 'plain think', 'no-think'],
    ['supported', 'think', 'plain plain'],
    // The model writes the block that the other prompt has, or both decide for themselves.
    ['contradicted', 'plain think', 'think'],
    ['contradicted', 'plain think', 'plain plain'],
    ['supported', 'words:let', 'plain words:the'],
    ['supported', 'words:let', 'think'],
    ['contradicted', 'words:let', 'plain words:let'],
    ['contradicted', 'words:let', 'words:let'],
  ] as const)('is %s where prompts begin the answer with %s and with %s', (expected, here, there) => {
    const run = (opening: string) => pairedRun((i) => ({ pairing: pairing(i, { opening }) }))
    const found = verdict('H08', run(here), second(run(there)))
    expect(found.verdict).toBe(expected)
    expect(found.because[0]?.measure).toMatch(expected === 'supported' ? /begins the answer otherwise/ : /^share of/)
    // Templates of two families begin otherwise by themselves.
    const family = { ...second(run(there)), tokenizer: 'llama3' }
    expect(verdict('H08', run(here), family).verdict).not.toBe('supported')
  })

  it('takes words before the answer for the prompt’s only where all rollouts of a run begin so', () => {
    const run = (opening: (i: number) => string) => pairedRun((i) => ({ pairing: pairing(i, { opening: opening(i) }) }))
    const bare = second(run(() => 'plain words:the'))
    for (const others of [
      (i: number) => (i % 2 ? 'words:let' : 'words:sure'),
      (i: number) => (i % 9 ? 'words:let' : 'plain words:sure'),
    ]) {
      expect(verdict('H08', run(others), bare).verdict).toBe('inconclusive')
    }
  })

  it('is neither where of five pairs in a hundred nothing tells how the prompt of one run begins the answer', () => {
    const { opening: _, ...untold } = pairing(0)
    const run = (from: number) =>
      pairedRun((i) => ({ pairing: i < from ? pairing(i) : { ...untold, question: `q${i}`, answer: `a${i}` } }))
    const found = verdict('H08', run(57), second(run(60)))
    expect(found.verdict).toBe('inconclusive')
    expect(found.missing.join()).toMatch(/what the prompts begin the answer with, in both runs/)
    expect(verdict('H08', run(60), second(run(57))).verdict).toBe('inconclusive')
    expect(verdict('H08', run(58), second(run(60)))).toMatchObject({ verdict: 'contradicted', missing: [] })
  })
})
