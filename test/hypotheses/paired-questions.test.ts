import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { pairingFacts } from '../../shared/checks/pairing.ts'
import { pairingQuestions } from '../../shared/checks/run-pairs.ts'
import { atOnce } from '../../shared/model/steps.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'
import { pairedRun, pairing, rows, second, verdict } from './beside.ts'

describe('H08 of questions in other words', () => {
  const asked = (content: string) => {
    const messages = [{ role: 'user', content }]
    return pairingFacts({ messages, ids: null, tools: [] } as unknown as Trajectory, null, null)
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
