import { count, counted, percent } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { type ComponentMeasures, type Components, errorsBelowNone, findingComponents } from './components.ts'
import { saysRight } from './says-right.ts'
import { completeGroups, shown } from './statistics.ts'

/** A09. A reward component pulls against the total or against another one, or leaves the others without a say (then a note only). */
export const componentConflict: Check = {
  code: 'A09',
  name: 'component-conflict',
  title: 'Reward components conflict',
  hypotheses: ['H05'],
  severity: 'warning',
  unit: 'source',
  needs: ['rewards', 'group', 'reward_components'],
  looksAt: 'reward components that vary within complete groups',
  why: 'What one component rewards another one punishes, so what is left of the signal is the difference of the two.',
  fix: 'Look at the weights: drop the component, or reward it only where the main one is reached.',
  cite: 'bdsaglam/rlvr, hypothesis H05',
  dump: lookAtComponents,
}

function* lookAtComponents(view: DumpView, report: DumpReporter): Steps<void> {
  if (completeGroups(view, report) === null) return
  const { thresholds } = view.settings
  const found = yield* within(0, 0.9, findingComponents(view))
  if (found === 'unexplained') {
    const same = yield* within(0.9, 1, findingConstant(view))
    report.abstain(
      'not-checkable',
      ['the reward is not a weighted sum of the components that are stored', ...same.map(constancy)].join('; '),
    )
    return
  }
  const varying = found?.components.filter(({ varianceShare }) => varianceShare > 0) ?? []
  if (found === null || varying.length === 0) return
  const conflicts = conflictsOf(found, thresholds)
  const dominant = dominantOf(varying, thresholds)
  for (const { name } of varying)
    report.place(conflicts.some(({ names }) => names.includes(name)) || name === dominant?.name)
  const sentences = [
    ...conflicts.map(({ sentence }) => sentence),
    ...(dominant === undefined ? [] : [dominance(dominant)]),
  ]
  report.unit(sentences.length > 0)
  if (sentences.length === 0) return
  report.fault({
    message: sentences.join('; '),
    ...(conflicts.length === 0 ? { severity: 'info' } : {}),
    evidence: {
      components: found.components.map(
        ({ name, weight, determined, varianceShare, correlation, opposedGroups, groups }) => ({
          name,
          weight_by_least_squares: determined ? weight : null,
          share_of_variance: varianceShare,
          correlation_with_total: correlation,
          groups_against_total: opposedGroups,
          groups_that_vary: groups,
        }),
      ),
      correlations: found.pairs.map(({ names, correlation }) => ({ components: names, correlation })),
      constant_components: found.components.flatMap(({ name, varianceShare }) => (varianceShare > 0 ? [] : [name])),
    },
  })
}

interface Constant {
  readonly name: string
  readonly value: number
  readonly rollouts: number
}

/** Components that are one number in every rollout that has them, in two or more. Each says nothing by itself: what all do well has no contrast. */
function* findingConstant({ facts }: DumpView): Steps<Constant[]> {
  const seen = new Map<string, { value: number; rollouts: number }>()
  const look = ({ rewards }: TrajectoryFacts) => {
    for (const [name, value] of Object.entries(rewards ?? {})) {
      const known = seen.get(name)
      if (known === undefined) seen.set(name, { value, rollouts: 1 })
      else if (known.value === value) known.rollouts++
      else known.value = Number.NaN
    }
  }
  yield* forEachOf(facts, look)
  return [...seen].flatMap(([name, { value, rollouts }]) =>
    Number.isFinite(value) && rollouts > 1 ? [{ name, value, rollouts }] : [],
  )
}

function constancy({ name, value, rollouts }: Constant): string {
  return `${name} is ${shown(value)} in all ${counted(rollouts, 'rollout')} that have it`
}

interface Conflict {
  readonly names: readonly string[]
  readonly sentence: string
}

function conflictsOf({ components, pairs, degreesOfFreedom }: Components, thresholds: Thresholds): Conflict[] {
  const against = components.filter(
    (each) => each.opposes && (each.varianceShare >= thresholds['opposing-share'] || isOutvoted(each, thresholds)),
  )
  const shares = new Map(components.map(({ name, varianceShare }) => [name, varianceShare]))
  const cancelling = pairs.filter(
    ({ names, correlation }) =>
      correlation <= thresholds['cancelling-correlation'] &&
      errorsBelowNone(correlation, degreesOfFreedom) >= thresholds['cancelling-evidence'] &&
      names.every((name) => (shares.get(name) ?? 0) >= thresholds['cancelling-share']),
  )
  return [
    ...against.map((each) => ({ names: [each.name], sentence: opposition(each) })),
    ...cancelling.map(({ names, correlation }) => ({
      names,
      sentence: `Reward components ${names[0]} and ${names[1]} cancel each other within groups (correlation ${shown(correlation)})`,
    })),
  ]
}

/** What is reached or not, and has a part in the total, is punished by the others. A small penalty, or a mark for style, may cost a little of them. */
function isOutvoted({ isReached, varianceShare, correlation }: ComponentMeasures, thresholds: Thresholds): boolean {
  return (
    isReached &&
    varianceShare >= thresholds['outvoted-share'] &&
    (correlation ?? 0) <= thresholds['outvoted-correlation']
  )
}

function opposition({ name, varianceShare, opposedGroups, groups }: ComponentMeasures): string {
  return `Reward component ${name} has ${percent(varianceShare)} of the variance within groups and goes against the total in ${count(opposedGroups)} of ${counted(groups, 'group')}`
}

/**
 * The one that leaves the others without a say. Of two the larger one mostly does, and should: an answer beside a little format. It is told where the
 * other says by its name how right the answer was, and could move the total by no more: a rare right answer of full weight has little variance as well.
 */
function dominantOf(varying: readonly ComponentMeasures[], thresholds: Thresholds): ComponentMeasures | undefined {
  const least = thresholds['dominant-share']
  const dominant = varying.find(({ varianceShare, determined }) => determined && varianceShare >= least)
  if (dominant === undefined || varying.length > 2) return dominant
  const other = varying.find((each) => each !== dominant)
  if (other === undefined || !saysRight(other.name) || saysRight(dominant.name)) return undefined
  const [own, others] = [dominant.reach ** 2, other.reach ** 2]
  return own >= least * (own + others) ? dominant : undefined
}

function dominance({ name, varianceShare }: ComponentMeasures): string {
  return `Reward component ${name} has ${percent(varianceShare)} of the variance within groups`
}
