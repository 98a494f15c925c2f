import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { pairingQuestions } from '../../shared/checks/grouping/run-pairs.ts'
import { pairingFacts } from '../../shared/checks/texts/pairing.ts'
import { systemHashOf } from '../../shared/checks/texts/system-text.ts'
import { atOnce } from '../../shared/model/steps.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { pairedRun, pairing, rows, second, verdict } from './beside.ts'

describe('H08 of questions in other words', () => {
  const asked = (content: string) => {
    const messages = [{ role: 'user', content }]
    const facts = pairingFacts({ messages, ids: null, tools: [] } as unknown as Trajectory, null, null)
    return { ...facts, opening: 'plain words:the' }
  }
  const around = (text: (i: number) => string) => pairedRun((i) => ({ promptHash: text(i), pairing: asked(text(i)) }))
  const plain = around((i) => `Where does river ${i} rise?`)
  const boxed = around((i) => `Where does river ${i} rise?\n\nAnswer in a box.`)

  it('is supported, in whichever run something is added to each', () => {
    for (const [here, there] of [
      [plain, boxed],
      [boxed, plain],
      [plain, around((i) => `Where does river ${i} rise? Answer in a box.`)],
      [boxed, around((i) => `You may search.\nQuestion: Where does river ${i} rise?`)],
    ] as const) {
      const found = verdict('H08', here, second(there))
      expect(found.verdict).toBe('supported')
      expect(found.because.slice(0, 1)).toMatchObject([
        { measure: 'share of paired questions whose words differ, though the question is the same', value: 1 },
      ])
      // The prompts differ as their words do, and what is right to one may be wrong to the other.
      expect(found.because.map(({ measure }) => measure).join()).not.toMatch(/prompt ids|same words/)
    }
  })

  it('is not checkable where the questions are others, or several are alike but for such sentences', () => {
    const others = around((i) => `Where does river ${i + 100} rise?\n\nAnswer in a box.`)
    expect(verdict('H08', plain, second(others)).verdict).toBe('not-checkable')
    const twice = around((i) => `Where does river ${i >> 1} rise?\n${i % 2 ? 'Search first.' : 'Answer in a box.'}`)
    expect(verdict('H08', plain, second(twice)).verdict).toBe('not-checkable')
  })

  it('forgives one pair of sixty', () => {
    const mostly = plain.map((row, i) => (i === 0 ? (boxed[0] as TrajectoryFacts) : row))
    const lone = verdict('H08', mostly, second(boxed))
    expect(lone.because[0]).toMatchObject({ value: 59 / 60 })
    const few = verdict('H08', plain, second([...plain.slice(0, 59), ...boxed.slice(59)]))
    expect(few.verdict).toBe('contradicted')
  })
})

describe('H08 of a run whose prompts were decoded whole, special tokens and all', () => {
  const factsOfPrompt = (content: string) => {
    const messages = [{ role: 'user', content, flattened: true }]
    return pairingFacts({ messages, ids: null, tools: null } as unknown as Trajectory, null, null)
  }
  const chatml = (system: string | null, ...questions: string[]) =>
    `${system === null ? '' : `<|im_start|>system\n${system}<|im_end|>\n`}${questions
      .map((question) => `<|im_start|>user\n${question}<|im_end|>\n`)
      .join('')}<|im_start|>assistant\n`
  const question = (i: number) => `Where does river ${i} rise?`
  const evaluation = (system: string | null) =>
    pairedRun((i) => ({ promptHash: null, pairing: factsOfPrompt(chatml(system, question(i))) }))
  const words = (i: number) => {
    const messages = [{ role: 'user', content: question(i) }]
    return pairingFacts({ messages, ids: null, tools: null } as unknown as Trajectory, null, null).question
  }
  /** Ids alone, as the batch of a training step has them. */
  const training = (system: string) =>
    pairedRun((i) => ({
      systemHash: systemHashOf(system),
      pairing: { question: `ids ${i}`, idWords: words(i) ?? '', system: null, tools: null, answer: null },
    }))
  const systemLine = (found: ReturnType<typeof verdict>) =>
    found.because.find(({ measure }) => /system text differs/.test(measure))?.value

  it('pairs it with ids, or with such prompts, by the question, and tells that the system text differs', () => {
    for (const other of [training('Be brief.'), evaluation('Be brief.'), evaluation(null)]) {
      for (const [here, there] of [
        [other, evaluation('Use the tools.')],
        [evaluation('Use the tools.'), other],
      ] as const) {
        const found = verdict('H08', here, second(there))
        expect(found.verdict).toBe('supported')
        expect(systemLine(found)).toBe(1)
        expect(found.because.map(({ measure }) => measure).join()).not.toMatch(/words differ/)
      }
    }
    // Templates of Llama write the same turns otherwise.
    const llama = (i: number) =>
      `<|start_header_id|>system<|end_header_id|>\n\nUse the tools.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n${question(i)}<|eot_id|>`
    const found = verdict(
      'H08',
      training('Be brief.'),
      second(pairedRun((i) => ({ pairing: factsOfPrompt(llama(i)) }))),
    )
    expect(systemLine(found)).toBe(1)
  })

  it('tells no difference where the system text is the same, and none of messages, which lack what the template adds', () => {
    const same = verdict('H08', training('Be brief.'), second(evaluation('Be brief.')))
    expect(systemLine(same)).toBe(0)
    expect(same.verdict).not.toBe('supported')
    const messages = pairedRun((i) => ({ pairing: pairing(i, { question: words(i), system: 'none', tools: null }) }))
    expect(systemLine(verdict('H08', messages, second(evaluation('Be brief.'))))).toBeUndefined()
  })

  const inChatml = (system: string | null, asked: string, prefill = '') =>
    `${system === null ? '' : `system\n${system}\n`}user\n${asked}\nassistant\n${prefill}`
  const inLlama = (system: string | null, asked: string, prefill = '') =>
    `${system === null ? '' : `system\n\n${system}`}user\n\n${asked}assistant\n\n${prefill}`

  describe.each([
    ['ChatML', inChatml],
    ['Llama', inLlama],
  ] as const)('and without its special tokens, of %s', (family, plain) => {
    const ofTexts = (prompt: (i: number) => string, answer = 'In the Alps.') =>
      pairedRun((i) => {
        const messages = [
          { role: 'user', content: prompt(i), flattened: true },
          { role: 'assistant', content: answer, flattened: true },
        ]
        const trajectory = { messages, ids: null, tools: null } as unknown as Trajectory
        return { promptHash: null, pairing: pairingFacts(trajectory, null, null) }
      })
    /** More sentences than are looked at as what a run puts around its questions. */
    const long = 'Use the tools. Think first. Be brief. Cite. Answer at last. Do not guess.'
    const training = ofTexts((i) => plain(long, question(i)))

    it('pairs it by the question, and tells that the system text differs', () => {
      for (const other of [
        ofTexts((i) => plain('Be brief.', question(i))),
        ofTexts((i) => plain(null, question(i))),
        evaluation('Be brief.'),
      ]) {
        const found = verdict('H08', training, second(other))
        expect(found.verdict).toBe('supported')
        expect(systemLine(found)).toBe(1)
      }
    })

    it('tells no difference where the system text is the same, with special tokens or without', () => {
      for (const other of [ofTexts((i) => plain(long, question(i)), 'In Italy.'), evaluation(long)]) {
        const found = verdict('H08', training, second(other))
        expect(found.verdict).toBe('inconclusive')
        expect(systemLine(found)).toBe(0)
      }
    })

    it.each([
      ['supported', '<think>\n\n</think>\n\n', 'In the Alps.'],
      ['inconclusive', '', '<think>\n\n</think>\n\nIn the Alps.'],
      ['inconclusive', '', 'In the Alps.'],
    ] as const)('is %s where the other prompts end in %j', (expected, prefill, answer) => {
      const thinking = ofTexts((i) => plain(long, question(i)), '<think>\nLet me see.')
      const other = ofTexts((i) => plain(long, question(i), prefill), answer)
      expect(verdict('H08', thinking, second(other)).verdict).toBe(expected)
    })

    it('leaves a prompt whole that has such a line twice, or words before it', () => {
      const [beside, between] = family === 'ChatML' ? ['\n', '\n'] : ['', '\n\n']
      for (const whole of [
        (i: number) =>
          plain(long, `${question(i)}${beside}assistant${between}In the Alps.${beside}user${between}Sure?`),
        (i: number) => plain(long, `The table has the columns\nuser${between}name\n${question(i)}`),
        (i: number) => `Question ${i}:${beside}user${between}Who?${beside}assistant${between}`,
      ]) {
        expect(ofTexts(whole)[0]?.pairing).toMatchObject({ system: null })
        expect(ofTexts(whole)[0]?.pairing?.flatSystem).toBeUndefined()
      }
    })
  })

  it('reads the date that a template of Llama writes, and blanks around what it says, as those of the ids', () => {
    const date = 'Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n'
    for (const said of ['', 'Be brief.']) {
      const { flatSystem } = factsOfPrompt(inLlama(`${date}${said}`, question(1)))
      expect(flatSystem).toBe(systemHashOf(`${date}${said}`))
    }
  })

  it('does not take the first of several questions of a prompt for its own', () => {
    const shots = (i: number) => factsOfPrompt(chatml(null, 'Where does the Rhine rise?', question(i)))
    const run = pairedRun((i) => ({ pairing: shots(i) }))
    expect(new Set(run.map(({ pairing }) => pairing?.question)).size).toBe(60)
    expect(run[0]?.pairing?.flatSystem).toBeUndefined()
  })
})

describe('H08 of runs without words', () => {
  it('pairs a run of ids alone with one of words and ids, and never by ids what its words tell apart', () => {
    const words = pairedRun((i) => ({ pairing: pairing(i, { questionIds: `ids ${i}` }) }))
    const bare = pairedRun((i) => ({
      pairing: pairing(i, { question: `ids ${i}`, system: null, tools: null, answer: null }),
    }))
    expect(verdict('H08', words, second(bare)).verdict).toBe('contradicted')
    expect(verdict('H08', bare, second(words)).verdict).toBe('contradicted')
    const others = pairedRun((i) => ({ pairing: pairing(i + 1000, { questionIds: `ids ${i}` }) }))
    expect(verdict('H08', words, second(others)).verdict).toBe('not-checkable')
  })

  it('pairs a run of ids alone with one of other ids, or of words, by the words that its ids spell', () => {
    const spelt = (name: string) => (i: number) => ({
      pairing: pairing(i, { question: `ids ${name}${i}`, idWords: `q${i}`, system: null, tools: null, answer: null }),
    })
    const bare = pairedRun(spelt('a'))
    expect(verdict('H08', pairedRun(), second(bare)).verdict).toBe('contradicted')
    expect(verdict('H08', bare, second(pairedRun())).verdict).toBe('contradicted')
    expect(verdict('H08', bare, second(pairedRun(spelt('b')))).verdict).toBe('contradicted')
    // Where both have the ids they tell more: words leave signs out (2 + 3, 2 - 3).
    const alike = pairedRun((i) => ({ pairing: pairing(i, { question: `ids a${i}`, idWords: 'q' }) }))
    const { pairs } = atOnce(pairingQuestions(bare, alike))
    expect(pairs).toHaveLength(60)
  })

  it('counts a question once where only some rollouts of a run have words, in both directions', () => {
    const named = (worded: (i: number) => boolean) =>
      rows(40, (i) => {
        const ids = `ids ${i >> 2}`
        const bare = { question: ids, system: null, tools: null, answer: null }
        return { pairing: worded(i) ? pairing(i >> 2, { questionIds: ids }) : bare }
      })
    const [words, bare] = [named(() => true), named(() => false)]
    for (const mixed of [named((i) => i % 2 === 0), named((i) => i % 2 === 1)]) {
      for (const [one, other] of [
        [mixed, words],
        [words, mixed],
        [mixed, bare],
        [bare, mixed],
        [mixed, named((i) => i % 3 === 0)],
      ] as const) {
        const { pairs, questions } = atOnce(pairingQuestions(one, other))
        expect(questions).toEqual([10, 10])
        expect(pairs.map(({ rows, others }) => [rows.length, others.length])).toEqual(Array(10).fill([4, 4]))
      }
    }
  })
})
