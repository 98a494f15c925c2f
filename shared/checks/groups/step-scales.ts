import type { Steps } from '../../model/steps.ts'
import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { mean } from './statistics.ts'

/** What a scheme takes from all rewards of a step; standard deviations are unbiased. */
export interface StepScale {
  readonly mean: number
  readonly std: number
  /** Of the rewards less the means of their groups. */
  readonly centredMean: number
  readonly centredStd: number
}

/** Where a step has no rewards. */
export const NO_STEP: StepScale = { mean: 0, std: 0, centredMean: 0, centredStd: 0 }

/** What schemes take from the rewards of a step: of all its rollouts, of those that train something, and of each trained token. */
export interface StepScales {
  readonly ofAll: StepScale
  readonly ofTraining: StepScale
  readonly byToken: StepScale
}

/** The rewards of one step while they are gathered, and those less the means of their groups; `weights` null where all count once. */
interface StepRewards {
  readonly rewards: number[]
  readonly centred: number[]
  readonly weights: number[] | null
}

/** That of all rollouts of each group's step. */
export function stepScales(groups: readonly GroupView[]): (group: GroupView) => StepScale {
  return scalesOf(groups, ({ members }) => members, null)
}

/** All of them, for the step of each group. */
export function* measuringSteps(groups: readonly GroupView[]): Steps<(group: GroupView) => StepScales> {
  const ofAll = stepScales(groups)
  yield 0.4
  const isPlain = groups.every(({ members }) => trainingOf(members).length === members.length)
  const ofTraining = isPlain ? ofAll : scalesOf(groups, ({ members }) => trainingOf(members), null)
  yield 0.7
  const byToken = scalesOf(
    groups,
    ({ members }) => members,
    ({ trained }) => trained ?? 0,
  )
  yield 1
  return (group) => ({ ofAll: ofAll(group), ofTraining: ofTraining(group), byToken: byToken(group) })
}

function scalesOf(
  groups: readonly GroupView[],
  rowsOf: (group: GroupView) => GroupView['members'],
  weightOf: ((row: TrajectoryFacts) => number) | null,
): (group: GroupView) => StepScale {
  // The step of dumps that tell none is null.
  const steps = new Map<number | null, StepRewards>()
  for (const group of groups) {
    const step = stepOf(group)
    const known = steps.get(step) ?? { rewards: [], centred: [], weights: weightOf === null ? null : [] }
    steps.set(step, known)
    const rows = rowsOf(group)
    const rewards = rows.map(({ reward }) => reward as number)
    const centre = mean(rewards)
    for (const [at, reward] of rewards.entries()) {
      known.rewards.push(reward)
      known.centred.push(reward - centre)
      if (weightOf !== null) known.weights?.push(weightOf(rows[at] as TrajectoryFacts))
    }
  }
  const scales = new Map([...steps].map(([step, rewards]) => [step, scaleOf(rewards)]))
  return (group) => scales.get(stepOf(group)) ?? NO_STEP
}

function scaleOf({ rewards, centred, weights }: StepRewards): StepScale {
  const [own, less] = [weightedSpread(rewards, weights), weightedSpread(centred, weights)]
  return { mean: own.mean, std: own.std, centredMean: less.mean, centredStd: less.std }
}

/** Mean and unbiased std of values that each count so many times. */
function weightedSpread(values: readonly number[], weights: readonly number[] | null) {
  const weightAt = (at: number) => weights?.[at] ?? 1
  let count = 0
  let sum = 0
  for (const [at, value] of values.entries()) {
    count += weightAt(at)
    sum += weightAt(at) * value
  }
  if (count < 2) return { mean: 0, std: 0 }
  const centre = sum / count
  let squares = 0
  for (const [at, value] of values.entries()) squares += weightAt(at) * (value - centre) ** 2
  return { mean: centre, std: Math.sqrt(squares / (count - 1)) }
}

export function stepOf(group: GroupView): number | null {
  return group.members[0]?.step ?? null
}

/** Rows of a group that train something: those that an overlong filter leaves in the baseline. */
export function trainingOf(members: GroupView['members']): GroupView['members'] {
  return members.filter(({ trained, excluded }) => trained !== 0 && !excluded)
}
