import { atOnce, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { trainingOf } from './baseline-rows.ts'
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

/** That of all rollouts of each group's step. */
export function stepScales(groups: readonly GroupView[]): (group: GroupView) => StepScale {
  return atOnce(measuringStepScales(groups))
}

/** The same in steps. */
export function* measuringStepScales(groups: readonly GroupView[]): Steps<(group: GroupView) => StepScale> {
  const all = new Rewards()
  yield* within(
    0,
    0.8,
    forEachOf(groups, (group) => all.add(group, group.members)),
  )
  return yield* within(0.8, 1, all.measuring())
}

/** All of them, for the step of each group. */
export function* measuringSteps(groups: readonly GroupView[]): Steps<(group: GroupView) => StepScales> {
  const [all, training, tokens] = [new Rewards(), new Rewards(), new Rewards()]
  const gather = (group: GroupView) => {
    const { members } = group
    all.add(group, members)
    training.add(group, trainingOf(members))
    tokens.add(group, members, ({ trained }) => trained ?? 0)
  }
  yield* within(0, 0.7, forEachOf(groups, gather))
  const ofAll = yield* within(0.7, 0.8, all.measuring())
  const ofTraining = yield* within(0.8, 0.9, training.measuring())
  const byToken = yield* within(0.9, 1, tokens.measuring())
  return (group) => ({ ofAll: ofAll(group), ofTraining: ofTraining(group), byToken: byToken(group) })
}

/** The rewards of one step, those less the means of their groups, and how often each counts. */
interface RewardsOfStep {
  readonly own: number[]
  readonly centred: number[]
  readonly weights: number[]
}

/** Rewards while they are gathered, by step; that of dumps that tell none is null. */
class Rewards {
  private readonly steps = new Map<number | null, RewardsOfStep>()

  add(group: GroupView, rows: GroupView['members'], weightOf: (row: TrajectoryFacts) => number = () => 1): void {
    const step = stepOf(group)
    let known = this.steps.get(step)
    if (known === undefined) this.steps.set(step, (known = { own: [], centred: [], weights: [] }))
    const rewards = rows.map(({ reward }) => reward as number)
    const centre = mean(rewards)
    for (let at = 0; at < rows.length; at++) {
      const reward = rewards[at] as number
      known.own.push(reward)
      known.centred.push(reward - centre)
      known.weights.push(weightOf(rows[at] as TrajectoryFacts))
    }
  }

  *measuring(): Steps<(group: GroupView) => StepScale> {
    const scales = new Map<number | null, StepScale>()
    for (const [step, { own, centred, weights }] of this.steps) {
      const raw = weightedSpread(own, weights)
      const less = weightedSpread(centred, weights)
      scales.set(step, { mean: raw.mean, std: raw.std, centredMean: less.mean, centredStd: less.std })
      yield scales.size / this.steps.size
    }
    return (group) => scales.get(stepOf(group)) ?? NO_STEP
  }
}

/** Mean and unbiased std of values that each count so many times. */
function weightedSpread(values: readonly number[], weights: readonly number[]) {
  let count = 0
  let sum = 0
  for (let at = 0; at < values.length; at++) {
    count += weights[at] as number
    sum += (weights[at] as number) * (values[at] as number)
  }
  if (count < 2) return { mean: 0, std: 0 }
  const centre = sum / count
  let squares = 0
  for (let at = 0; at < values.length; at++) squares += (weights[at] as number) * ((values[at] as number) - centre) ** 2
  return { mean: centre, std: Math.sqrt(squares / (count - 1)) }
}

export function stepOf(group: GroupView): number | null {
  return group.members[0]?.step ?? null
}

/** Groups of each step, in their order. */
export function* groupsByStep(groups: readonly GroupView[]): Steps<ReadonlyMap<number | null, readonly GroupView[]>> {
  const steps = new Map<number | null, GroupView[]>()
  yield* forEachOf(groups, (group) => {
    const own = steps.get(stepOf(group))
    if (own === undefined) steps.set(stepOf(group), [group])
    else own.push(group)
  })
  return steps
}
