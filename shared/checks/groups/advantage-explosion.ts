import { count, counted } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView, GroupView } from '../check.ts'
import { type AdvantageScheme, isGroupScaled, recomputeAdvantages } from './advantages.ts'
import { areUnrewarded, lookWithoutRewards } from './advantages-alone.ts'
import { countBoundless, lookBeyondAll } from './beyond-all.ts'
import { advantageBound, advantageText, explodedIn, largestSize, oneSize, withSign } from './bounds.ts'
import { hasInfiniteAdvantage, infiniteIn } from './infinite.ts'
import { reshaping } from './reshaped.ts'
import { measuringRowCredit, whyNotOne } from './rows-of-rollout.ts'
import { fitOf, fitting, scalingOf } from './scaling.ts'
import { SCHEME_FORMULAS } from './scheme-formulas.ts'
import { completeGroups, rangeOf, rewardsOf, trainedIn } from './statistics.ts'
import { NO_STEP } from './step-scales.ts'

/** A03. An advantage larger than any rewards could give under the scaling in use: (n−1)/√n with the unbiased std; one that is infinite under any. */
export const advantageExplosion: Check = {
  code: 'A03',
  name: 'advantage-explosion',
  title: 'Advantages exceed their bound',
  hypotheses: ['H01'],
  severity: 'error',
  unit: 'group',
  // Rewards are asked for where they are stored; a few explosions show without them.
  needs: ['advantages'],
  looksAt:
    'complete groups; unless advantages are known to be divided by the std of their group, those of different rewards, where one has an infinite one or one beyond all formulas',
  why: 'A std that is rounding residue blows an advantage up to thousands, and one rollout overrides the whole batch. One that is infinite leaves no finite gradient, whatever made it.',
  fix: 'Give groups without spread advantage 0, and compute mean and std in float64. Look for what made an infinite one: a reward, or a division by 0.',
  cite: 'NeMo-RL#4161',
  dump: lookAtGroups,
}

function* lookAtGroups(view: DumpView, report: DumpReporter): Steps<void> {
  if (view.groups.length === 0 || areUnrewarded(view.facts)) {
    yield* lookWithoutRewards(view, report)
    return
  }
  const groups = completeGroups(view, report)
  if (groups === null) return
  yield* within(0, 0.4, fitting(view))
  const scaling = scalingOf(view)
  // Whatever the rewards and the formula, no advantage is infinite.
  const infinite = new Set(yield* within(0.4, 0.5, filtered(groups, hasInfiniteAdvantage)))
  if (infinite.size > 0 && (scaling === null || !isGroupScaled(scaling.scheme))) {
    countBoundless(groups, infinite, report)
    for (const group of infinite) report.fault(infiniteIn(group))
    return
  }
  if (scaling === null) {
    if (yield* within(0.5, 0.6, lookBeyondAll(groups, view, report))) return
    const notOne = whyNotOne(groups, yield* measuringRowCredit(view), view.settings.thresholds)
    const without = notOne === null ? ', no group has different rewards to tell it by' : ` (${notOne})`
    const why = fitOf(view) === null ? without : ', no known formula gives the stored ones'
    report.abstain('not-checkable', `how advantages are scaled is not known${why}: declare the reward scaling`)
    return
  }
  if (!isGroupScaled(scaling.scheme)) {
    report.abstain(
      'not-applicable',
      `advantages are not scaled by the group's std (${scaling.origin}: ${SCHEME_FORMULAS[scaling.scheme]})`,
    )
    return
  }
  // Declared scaling does not say which std; the wider bound holds for both.
  const scheme = scaling.origin === 'given' && !scaling.fit?.accepted ? 'group-std-biased' : scaling.scheme
  const { thresholds } = view.settings
  // What the others' std divides lies as far out as a floor of it lets it.
  const mostOf = (group: GroupView) =>
    scheme === 'leave-one-out-std' && scaling.floor > 0 ? rangeOf(rewardsOf(group)) / scaling.floor : 0
  const boundOfGroup = (group: GroupView) =>
    scaling.weight * Math.max(advantageBound(scheme, group.members.length), mostOf(group))
  // Rollouts with one advantage tell the formula: its bound is theirs. Where no formula was told by any, a declared one is that of tokens.
  const sizeOf = scaling.fit?.accepted === true ? oneSize : largestSize
  const explodedBeyond = (group: GroupView, bound: number) => explodedIn(group, scheme, bound, thresholds, sizeOf)
  const isBeyond = (group: GroupView) => explodedBeyond(group, boundOfGroup(group)).length > 0
  // What a run does to all advantages of a step takes their bound along.
  const beyond = yield* within(0.5, 0.6, filtered(groups, isBeyond))
  const shapes = beyond.length === 0 ? null : yield* within(0.6, 0.7, reshaping(view))
  const look = (group: GroupView) => {
    const bound = shapes?.carried(group, boundOfGroup(group)) ?? boundOfGroup(group)
    const exploded = shapes === null ? [] : explodedBeyond(group, bound)
    const isInfinitely = infinite.has(group)
    report.unit(exploded.length > 0 || isInfinitely)
    report.place(exploded.length > 0 || isInfinitely)
    if (isInfinitely) report.fault(infiniteIn(group))
    if (exploded.length === 0 || isInfinitely) return
    const largest = exploded.reduce((worst, member) => (sizeOf(member) > sizeOf(worst) ? member : worst))
    report.fault({
      group,
      ...trainedIn(exploded),
      message: `${advantageText(largest, sizeOf(largest))} in group ${group.id}; ${whyBeyond(scheme, group, bound)}`,
      evidence: {
        advantage: withSign(largest, sizeOf(largest)) ?? sizeOf(largest),
        trajectory: largest.id,
        bound,
        scheme,
        eps: scaling.eps,
        ...(scaling.fit?.accepted && scaling.fit.factor !== 1 ? { factor: scaling.fit.factor } : {}),
        ...(scaling.floor === 0 ? {} : { floor: scaling.floor }),
        scheme_known_from: scaling.origin,
        groups_that_fit: scaling.fit?.share ?? null,
        residual: scaling.fit?.residual ?? null,
        rewards: rewardsOf(group),
        advantages: group.members.map(({ advantage }) => advantage),
        recomputed: recomputeAdvantages(scaling.scheme, rewardsOf(group), scaling.eps, NO_STEP, scaling.floor),
      },
    })
  }
  yield* within(0.7, 1, forEachOf(groups, look))
}

function whyBeyond(scheme: AdvantageScheme, { members }: GroupView, bound: number): string {
  return scheme === 'leave-one-out-std'
    ? `the other ${count(members.length - 1)} rollouts have one reward, and what is left of their std is rounding`
    : `rewards of ${counted(members.length, 'rollout')} give at most ${bound.toFixed(3)}`
}
