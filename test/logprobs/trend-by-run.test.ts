import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { type FileSteps, runsOfFiles } from '../../shared/checks/grouping/runs-of-files.ts'
import { gapTrends } from '../../shared/checks/logprobs/trend.ts'
import { resolveThresholds } from '../../shared/model/thresholds/registry.ts'
import { factsOf } from '../helpers/facts.ts'

const thresholds = resolveThresholds({})

describe('files by run', () => {
  const run = (files: readonly (readonly number[])[], models: readonly (string | null)[] = []) =>
    runsOfFiles(
      new Map(
        files.map((steps, key): [number, FileSteps] => [key, { model: models[key] ?? null, steps: new Set(steps) }]),
      ),
    )

  it.each([
    ['one file a step', [[3], [1], [2]], [[1, 2, 0]]],
    [
      'the ranks of a run, a file each',
      [
        [1, 2, 3],
        [3, 2, 1],
      ],
      [[0, 1]],
    ],
    ['ranks of a file a step each', [[1], [1], [2], [2]], [[0, 1, 2, 3]]],
    [
      'a file that goes on where another ended',
      [
        [5, 6],
        [1, 2, 3, 4, 5],
      ],
      [[1, 0]],
    ],
    [
      'two runs that overlap',
      [
        [1, 2, 3, 4],
        [3, 4, 5, 6],
      ],
      [[0], [1]],
    ],
    [
      'two runs of which one is longer, one with two ranks',
      [
        [1, 2],
        [1, 2, 3],
        [2, 1],
      ],
      [[0, 2], [1]],
    ],
  ])('%s', (_, files, runs) => {
    expect(run(files)).toEqual(runs)
  })

  it('keeps models apart', () => {
    expect(run([[1], [2], [3]], ['a', 'b', 'a'])).toEqual([[0, 2], [1]])
  })
})

describe('the gap by step', () => {
  const gap = (mean: number): TrajectoryFacts['gap'] => ({
    count: 10,
    sum: 0,
    absolute: 10 * mean,
    squares: 0,
    largest: mean,
    trainerSum: 0,
    samplerValues: 10,
    samplerHash: '',
  })
  const file = (source: number, from: number, to: number, mean: (step: number) => number) =>
    Array.from({ length: to - from + 1 }, (_, at) =>
      factsOf(at, { place: { source, record: at, part: 0 }, step: from + at, gap: gap(mean(from + at)) }),
    )
  const sound = () => 0.006
  const rising = (step: number) => 0.01 * 2 ** (step / 2)

  it('does not grow where a second run of later steps has a larger one', () => {
    const facts = [...file(0, 1, 10, sound), ...file(1, 4, 12, () => 1)]
    expect(gapTrends(facts, thresholds).map(({ sources, grows }) => [[...sources], grows])).toEqual([
      [[0], false],
      [[1], false],
    ])
  })

  it('is not told where no run has enough steps, though all together have', () => {
    expect(gapTrends([...file(0, 1, 6, sound), ...file(1, 3, 8, () => 1)], thresholds)).toEqual([])
  })

  it('grows in one run beside a sound one, and over the files of a run', () => {
    const [first, second] = gapTrends([...file(0, 1, 12, sound), ...file(1, 1, 10, rising)], thresholds)
    expect([first?.grows, [...(first?.sources ?? [])], second?.grows]).toEqual([true, [1], false])
    const parts = [...file(0, 1, 4, rising), ...file(1, 5, 8, rising), ...file(2, 9, 12, rising)]
    expect(gapTrends(parts, thresholds)).toMatchObject([{ grows: true, steps: { length: 12 } }])
  })
})
