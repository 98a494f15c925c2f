import { count, counted, percent } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView, GroupView } from '../check.ts'
import { type AdvantageFit, isGroupScaled, recomputeAdvantages, residualOf } from './advantages.ts'
import { trainingOf } from './baseline-rows.ts'
import { advantageBound, boundOf, explodedIn, largestAdvantage } from './bounds.ts'
import { isInformative } from './informative.ts'
import { type LevelOff, levelOff, NO_LEVEL } from './level-groups.ts'
import { otherGrouping, rowsText } from './other-grouping.ts'
import { reshaping } from './reshaped.ts'
import { measuringRowCredit, whyByRow, whyNotOne } from './rows-of-rollout.ts'
import { type DeclaredScaling, fitting, isOtherwise, isUsualWeight } from './scaling.ts'
import { quotedScheme } from './scheme-words.ts'
import { completeGroups, rangeOf, rewardRange, rewardsOf, shown, trainedIn } from './statistics.ts'
import { measuringSteps, type StepScale } from './step-scales.ts'
import { followRewards, turnedAround } from './turned-around.ts'
import { tellTurnedRows } from './turned-rows.ts'
import type { OtherGrouping } from './windows.ts'

/**
 * A04. The stored advantages are not what the formula in use gives for the stored rewards. Where no known formula fits, only
 * advantages that rank rollouts against their rewards are called wrong, in half of the groups or in a few beside others that all keep the order: a formula
 * of the run's own would keep it.
 */
export const advantageMismatch: Check = {
  code: 'A04',
  name: 'advantage-mismatch',
  title: 'Stored advantages are not those of the rewards',
  hypotheses: ['H01'],
  severity: 'error',
  unit: 'group',
  needs: ['rewards', 'group', 'advantages'],
  looksAt: 'complete groups with different rewards, and those of one reward whose advantages should be 0 and are not',
  why: 'Rollouts are reinforced by numbers that do not follow from what they were rewarded with.',
  fix: 'Recompute advantages where the dump is written, and compare; look at the order of rows and at the grouping key.',
  cite: 'grpo-flat#2, TRL#2608',
  dump: lookAtGroups,
  *unproved(_tally, view) {
    return whyByRow(yield* measuringRowCredit(view))
  },
}

function* lookAtGroups(view: DumpView, report: DumpReporter): Steps<void> {
  const complete = completeGroups(view, report)
  if (complete === null) return
  const { thresholds } = view.settings
  const credit = yield* within(0, 0, measuringRowCredit(view))
  if (credit.isTurned) {
    yield* tellTurnedRows(complete, credit, report)
    return
  }
  const groups = yield* within(
    0,
    0.2,
    filtered(complete, (group) => isInformative(group, thresholds)),
  )
  const best = yield* within(0.2, 0.4, fitting(view))
  if (groups.length === 0 || best === null) {
    const why = whyNotOne(complete, credit, thresholds)
    if (why !== null) report.abstain('not-checkable', why)
    else if (complete.every((group) => rangeOf(rewardsOf(group)) <= thresholds['same-reward'])) {
      const level = yield* within(0.4, 1, filtered(complete, hasOthers))
      if (level.length > 0) report.abstain('not-checkable', whyLevel(level, complete))
    }
    return
  }
  const scaleOf = yield* within(0.4, 0.5, measuringSteps(complete))
  const range = rewardRange(complete)
  // Under a usual weight advantages are those of the formula.
  const weight = isUsualWeight(best.factor, thresholds) ? best.factor : 1
  const isMultiplied = best.factor !== weight
  const { scaleRewards: declared, advantageEps } = view.settings.options
  const contradicted = best.accepted ? contradictedBy(best, declared, advantageEps) : null
  const areZero = !best.accepted && declared !== undefined && groups.every(hasZeros)
  const other = best.accepted || areZero ? null : yield* within(0.5, 0.5, otherGrouping(view))
  yield 0.5
  const against =
    best.accepted || areZero || other !== null ? NOTHING : yield* within(0.5, 0.6, goingAgainst(view, groups))
  if (!best.accepted && !areZero && against.groups.size === 0) {
    report.abstain('not-checkable', whyByRow(credit) ?? whyUnknown(best, other))
    return
  }
  const residualIn = (group: GroupView) =>
    residualOf(group, best.scheme, best.eps ?? 0, scaleOf(group), weight, best.floor)
  const isOff = (group: GroupView) => differs(group, best, weight, residualIn(group), thresholds)
  const isWhole = best.accepted && contradicted === null && !isMultiplied
  const level = isWhole ? yield* within(0.6, 0.62, levelOff(view, groups, best)) : NO_LEVEL
  const off = best.accepted ? yield* within(0.62, 0.7, offWithin(view, groups, isOff, level)) : against.groups
  const shapes = off.size > 0 ? yield* within(0.7, 0.8, reshaping(view)) : null
  const messageOf = (group: GroupView, residual: number) => {
    if (level.has(group)) return levelText(group, best)
    const advantages = `Advantages of group ${group.id}`
    const fitted = `${percent(best.share)} of the groups`
    if (areZero)
      return `${advantages} are all 0, while its rewards differ and reward scaling is declared as ${declared}`
    if (contradicted !== null) return `${advantages} are those of ${formula(best)}, while ${contradicted}`
    if (isMultiplied) return `${advantages} are not those of its rewards: those of ${fitted} are ${formula(best)}`
    return best.accepted
      ? `${advantages} are off by ${offText(residual)} from ${formula(best)}, which gives those of ${fitted}`
      : `${advantages} rank its rollouts against their rewards${against.beside}, and no known formula gives them`
  }
  const look = (group: GroupView) => {
    const affected =
      areZero || contradicted !== null || isMultiplied || (off.has(group) && shapes?.explains(group) !== true)
    report.unit(affected)
    report.place(affected)
    if (!affected) return
    const residual = residualIn(group)
    report.fault({
      group,
      ...trainedIn(group.members),
      message: messageOf(group, residual),
      ...(against.isWarning || level.get(group) === 'warning' ? { severity: 'warning' } : {}),
      evidence: evidenceOf(group, best, weight, residual, scaleOf(group).ofAll, range),
    })
  }
  yield* within(0.8, 1, forEachOf([...groups, ...level.keys()], look))
}

/** Groups that are off, but for those whose advantages are given by other rows, which A05 names. */
function* offWithin(
  view: DumpView,
  groups: readonly GroupView[],
  isOff: (group: GroupView) => boolean,
  level: LevelOff,
): Steps<ReadonlySet<GroupView>> {
  const off = [...(yield* within(0, 0.5, filtered(groups, isOff))), ...level.keys()]
  const other = off.length === 0 ? null : yield* within(0.5, 1, otherGrouping(view))
  // A group of one reward that shares its baseline with others has advantages like this.
  const isOthers = (group: GroupView) => other !== null && (level.has(group) || other.groups.has(group))
  return new Set(off.filter((group) => !isOthers(group)))
}

function levelText({ id, members }: GroupView, best: AdvantageFit): string {
  const [reward] = members.map((member) => member.reward as number)
  return `Advantages of group ${id} are up to ${shown(largestAdvantage(members))}, though all ${counted(members.length, 'rollout')} have reward ${shown(reward as number)}: ${formula(best)}, which gives those of ${percent(best.share)} of the groups with different rewards, gives 0`
}

/** What a person declares that the stored advantages are not made by; null where nothing is. */
function contradictedBy(
  best: AdvantageFit,
  scaling: DeclaredScaling | undefined,
  eps: number | undefined,
): string | null {
  if (scaling !== undefined && isOtherwise(best, scaling)) return `reward scaling is declared as ${scaling}`
  return eps !== undefined && best.eps !== null && best.eps !== eps ? `eps is declared as ${eps}` : null
}

/** Every advantage of it that is stored. */
function hasZeros({ members }: GroupView): boolean {
  return members.every(({ advantage }) => advantage === null || advantage === 0)
}

function hasOthers({ members }: GroupView): boolean {
  return members.some(({ advantage }) => advantage !== null && advantage !== 0)
}

/** Without a group whose rewards differ no formula can be told: that such groups have advantages may be a term that is not stored, or another reward. */
function whyLevel(level: readonly GroupView[], complete: readonly GroupView[]): string {
  return `each group has one reward, and ${count(level.length)} of ${counted(complete.length, 'complete group')} ${level.length === 1 ? 'has' : 'have'} advantages other than 0: these were made of something that the stored rewards lack, and no group with different rewards tells by which formula`
}

/** Groups that rank rollouts against their rewards, as far as that is a fault whatever the formula. */
interface Against {
  readonly groups: ReadonlySet<GroupView>
  /** What the other groups do, as a message says it. */
  readonly beside: string
  /** Without a formula, a few groups are no proof. */
  readonly isWarning: boolean
}

const NOTHING: Against = { groups: new Set(), beside: '', isWarning: false }

/** Half of the groups, unless all in all advantages go with rewards; or a few that are turned around where all others run with their rewards. */
function* goingAgainst(view: DumpView, groups: readonly GroupView[]): Steps<Against> {
  const { thresholds } = view.settings
  const against = yield* within(
    0,
    0.3,
    filtered(groups, (group) => ranksAgainst(group, thresholds)),
  )
  if (against.length >= thresholds['order-share'] * groups.length) {
    const areShaped = yield* within(0.3, 0.5, followRewards(view, groups))
    if (!areShaped) return { ...NOTHING, groups: new Set(against) }
  }
  const { turned, agreeing } = yield* within(0.5, 1, turnedAround(view, groups))
  const beside = `, while those of ${counted(agreeing, 'other group')} go with theirs`
  return { groups: turned, beside, isWarning: true }
}

function evidenceOf(
  group: GroupView,
  best: AdvantageFit,
  weight: number,
  residual: number,
  step: StepScale,
  range: number,
): Record<string, unknown> {
  const { scheme, eps, factor, floor, share, runnersUp } = best
  const recomputed = recomputeAdvantages(scheme, rewardsOf(group), eps ?? 0, step, floor)
  return {
    rewards: rewardsOf(group),
    stored: group.members.map(({ advantage }) => advantage),
    recomputed: recomputed.map((advantage) => weight * advantage),
    scheme,
    eps,
    ...(factor === 1 ? {} : { factor }),
    ...(floor === 0 ? {} : { floor }),
    residual: Number.isFinite(residual) ? residual : null,
    bound: boundOf(scheme, group.members.length, range),
    groups_that_fit: share,
    runners_up: runnersUp.slice(0, 3).map(({ scheme, eps, share, residual }) => ({
      scheme,
      eps,
      groups_that_fit: share,
      residual: Number.isFinite(residual) ? residual : null,
    })),
  }
}

/** What A05 names is no second fault of the rewards. */
function whyUnknown(best: AdvantageFit, other: OtherGrouping | null): string {
  return other === null
    ? `no known formula gives the stored advantages (nearest: ${formula(best)}, off by ${offText(best.residual)})`
    : `no known formula gives the stored advantages over the groups; ${quotedScheme(other.scheme)} does over ${rowsText(other)} (A05)`
}

/**
 * Beyond what a formula gives, and what most groups differ from it by: where rewards hold something small that is not stored, as the cost of a token or a
 * KL, no group is given exactly. An explosion is A03's to tell.
 */
function differs(
  group: GroupView,
  { scheme, residual: ofMost }: AdvantageFit,
  weight: number,
  residual: number,
  thresholds: Thresholds,
): boolean {
  const largest = largestAdvantage(group.members)
  const tolerance = thresholds['advantage-tolerance']
  const ofFitting = Math.min(ofMost, tolerance)
  if (residual <= Math.max(tolerance, thresholds['off-beside-most'] * ofFitting)) return false
  if (residual * largest <= thresholds['advantage-digits']) return false
  if (!isGroupScaled(scheme)) return true
  const bound = weight * advantageBound(scheme, group.members.length)
  return explodedIn(group, scheme, bound, thresholds).length === 0
}

/** A rollout of the group has a higher reward and a lower advantage than another; rows that train nothing may have any. */
function ranksAgainst(group: GroupView, thresholds: Thresholds): boolean {
  const members = trainingOf(group.members)
  const slack = thresholds['advantage-tolerance'] * largestAdvantage(members)
  const sameReward = thresholds['same-reward']
  const known = members
    .flatMap(({ reward, advantage }) => (advantage === null ? [] : [{ reward: reward as number, advantage }]))
    .sort((a, b) => a.reward - b.reward)
  // The greatest advantage among strictly lower rewards; equal ones wait until a higher reward comes.
  let below = Number.NEGATIVE_INFINITY
  let equal = Number.NEGATIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  for (const { reward, advantage } of known) {
    if (reward > last + sameReward) {
      below = Math.max(below, equal)
      last = reward
    }
    if (advantage < below - slack) return true
    equal = Math.max(equal, advantage)
  }
  return false
}

function formula({ scheme, eps, factor, floor }: Pick<AdvantageFit, 'scheme' | 'eps' | 'factor' | 'floor'>): string {
  const least = floor === 0 ? '' : ` and a std of ${shown(floor)} or more`
  const plain = eps === null ? quotedScheme(scheme) : `${quotedScheme(scheme)} with eps ${eps}${least}`
  return factor === 1 ? plain : `${shown(factor)} times ${plain}`
}

/** The largest difference as a share of the largest stored advantage; infinite where all of these are 0. */
function offText(residual: number): string {
  return Number.isFinite(residual) ? percent(residual) : 'all of it'
}
