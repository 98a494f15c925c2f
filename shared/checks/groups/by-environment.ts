import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import { type AdvantageFit, fittingAdvantages, residualOf } from './advantages.ts'
import { isUsualWeight } from './scaling.ts'
import { measuringSteps } from './step-scales.ts'

/**
 * Groups that the formula of the dump does not give, in an environment that has one of its own, or a weight of its own, which does: tasks that are trained
 * together may be normalised each by its rule.
 *
 * @param informative complete groups whose rewards differ
 * @param isOff whether the formula of the dump does not give a group
 */
export function* givenByEnvironment(
  { settings }: DumpView,
  informative: readonly GroupView[],
  isOff: (group: GroupView) => boolean,
): Steps<ReadonlySet<GroupView>> {
  const given = new Set<GroupView>()
  const parts = new Map<string, GroupView[]>()
  yield* within(
    0,
    0.5,
    forEachOf(informative, (group) => {
      const environment = environmentOf(group)
      if (environment === null) return
      const part = parts.get(environment)
      if (part === undefined) parts.set(environment, [group])
      else part.push(group)
    }),
  )
  if (parts.size < 2) return given
  const done = (looked: number) => (1 + looked / parts.size) / 2
  for (const [at, part] of [...parts.values()].entries()) {
    for (const group of yield* within(done(at), done(at + 1), givenByRule(part, isOff, settings))) given.add(group)
  }
  return given
}

/** Those of the groups that are off which one formula gives, if it gives nearly all of one environment. */
function* givenByRule(
  part: readonly GroupView[],
  isOff: (group: GroupView) => boolean,
  settings: DumpView['settings'],
): Steps<readonly GroupView[]> {
  const { thresholds } = settings
  const off = yield* within(0, 0.2, filtered(part, isOff))
  if (off.length === 0 || part.length < thresholds['factor-groups']) return []
  const fit = yield* within(0.2, 0.8, fittingAdvantages({ groups: part, settings }))
  if (fit === null || !isRule(fit, thresholds)) return []
  const scaleOf = yield* within(0.8, 1, measuringSteps(part))
  const residualIn = (group: GroupView) => residualOf(group, fit.scheme, fit.eps ?? 0, scaleOf(group), fit.factor)
  return off.filter((group) => residualIn(group) <= thresholds['advantage-tolerance'])
}

/** Of nearly all groups: by chance a formula gives half of those that are right and wrong alone. */
function isRule({ accepted, share, factor }: AdvantageFit, thresholds: Thresholds): boolean {
  return accepted && share >= thresholds['factor-share'] && isUsualWeight(factor, thresholds)
}

/** Null where the rollouts of a group name none, or several. */
function environmentOf({ members: [first, ...others] }: GroupView): string | null {
  const environment = first?.environment
  return environment !== undefined && others.every((other) => other.environment === environment) ? environment : null
}
