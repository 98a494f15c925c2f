import type { StepScale } from '../../shared/checks/groups/step-scales.ts'

/** What schemes take from the rewards of a step by group, each of which counts so many times; written out beside what the engine does. */
export function stepScaleOf(
  groups: readonly (readonly number[])[],
  weights?: readonly (readonly number[])[],
): StepScale {
  const repeated = (values: readonly (readonly number[])[]) =>
    values.flatMap((group, at) => group.flatMap((value, row) => Array<number>(weights?.[at]?.[row] ?? 1).fill(value)))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const std = (values: readonly number[]) =>
    Math.sqrt(values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1))
  const rewards = repeated(groups)
  const centred = repeated(groups.map((group) => group.map((reward) => reward - mean(group))))
  return { mean: mean(rewards), std: std(rewards), centredMean: mean(centred), centredStd: std(centred) }
}
