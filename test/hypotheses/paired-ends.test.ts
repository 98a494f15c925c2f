import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { endsApart } from '../../shared/hypotheses/paired-ends.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { random as seeded } from '../logprobs/simulated.ts'
import { pairing, rows, second, verdict } from './beside.ts'

const MEASURE =
  'share of questions that both runs have whose rollouts are cut in one run and not in the other, beyond chance'

/** `each` rollouts of every question, of which those are cut that are said to be. */
function ended(
  questions: number,
  each: number,
  isCut: (question: number, rollout: number) => boolean,
  more: Partial<TrajectoryFacts> = {},
) {
  return rows(questions * each, (i) => {
    const [question, rollout] = [Math.floor(i / each), i % each]
    return {
      pairing: pairing(question, { answer: `${i}` }),
      promptHash: `p${question}`,
      endReason: isCut(question, rollout) ? 'cut-prose' : 'stop',
      ...more,
    }
  })
}

/** The verdict, and the share of questions that end otherwise. */
function between(here: readonly TrajectoryFacts[], there: readonly TrajectoryFacts[]) {
  const found = verdict('H08', here, second(there))
  return [found.verdict, found.because.find(({ measure }) => measure === MEASURE)?.value ?? null]
}

describe('H08 of rollouts that are cut in one run and not in the other', () => {
  it.each([
    ['every rollout of six questions in each', 12, 8, 8, 6, 1],
    ['every one of a single question in each', 12, 8, 8, 1, 2 / 12],
    ['four rollouts of two questions in each', 12, 4, 4, 2, 4 / 12],
    ['eight rollouts beside one', 12, 8, 1, 6, 1],
    ['one rollout of ten questions in each', 20, 1, 1, 10, 1],
  ])('is supported by %s, though both cut as many', (_, questions, here, there, cut, share) => {
    const [judged, value] = between(
      ended(questions, here, (question) => question < cut),
      ended(questions, there, (question) => question >= cut && question < 2 * cut),
    )
    expect([judged, value]).toEqual(['supported', expect.closeTo(share, 9)])
  })

  it.each([
    [
      'half of the rollouts of each question, in both',
      12,
      8,
      8,
      (i: number) => i % 2 === 0,
      (i: number) => i % 2 === 1,
    ],
    ['one rollout of a question', 12, 8, 8, (i: number) => i === 0, () => false],
    ['the only rollout of a question', 60, 1, 1, (i: number) => i === 0, () => false],
    ['eight of a question that has one in the other run', 24, 8, 1, (i: number) => i < 8, () => false],
    ['others of the rollouts of a question', 12, 4, 4, (i: number) => i < 2, (i: number) => i === 3],
  ])('is contradicted where a run cuts %s', (_, questions, here, there, isCut, isCutThere) => {
    const run = (each: number, of: (i: number) => boolean) =>
      ended(questions, each, (question, i) => of(question * each + i))
    expect(between(run(here, isCut), run(there, isCutThere))).toEqual(['contradicted', 0])
  })

  it('is not contradicted while one run cuts half of the few rollouts that there are', () => {
    const run = (isCut: (rollout: number) => boolean) => ended(1, 2, (_, rollout) => isCut(rollout))
    expect(
      between(
        run((rollout) => rollout === 0),
        run(() => false),
      )[0],
    ).toBe('inconclusive')
    expect(
      between(
        run(() => false),
        run(() => false),
      )[0],
    ).toBe('contradicted')
  })

  it('takes branches of one rollout for one', () => {
    const branches = { branchOf: 'one' }
    const run = (cut: number) => ended(12, 8, (question) => question === cut, branches)
    expect(between(run(0), run(1))).toEqual(['contradicted', 0])
  })

  it('lays ends that differ to the models, where these do', () => {
    const run = (cut: number, model: string) => ended(12, 8, (question) => question % 2 === cut, { model })
    expect(between(run(0, 'a'), run(1, 'b'))).toEqual(['contradicted', 1])
    expect(between(run(0, 'a'), run(1, 'a'))).toEqual(['supported', 1])
  })

  it('hardly ever is supported by two runs of one law', () => {
    const random = seeded(5)
    const chance = DEFAULT_THRESHOLDS['h08-ends-chance']
    const sizes = [
      [1, 1],
      [4, 4],
      [8, 8],
      [8, 1],
      [16, 4],
    ] as const
    let [runs, apart] = [0, 0]
    for (const questions of [12, 60])
      for (const [here, there] of sizes)
        for (let run = 0; run < 100; run++) {
          const law = Array.from({ length: questions }, () => 0.1 + 0.4 * random())
          const cut = (of: number, often: number) => Array.from({ length: of }, random).filter((x) => x < often).length
          const ends = law.map((p) => ({ here, there, cutHere: cut(here, p), cutThere: cut(there, p) }))
          runs++
          if ((endsApart(ends, chance) as number) >= 0.05) apart++
        }
    expect(apart / runs).toBeLessThan(0.01)
  })
})
