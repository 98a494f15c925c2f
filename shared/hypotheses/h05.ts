import type { ComponentMeasures } from '../checks/groups/components.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import { contrastBounds, flatBounds, opposingBounds, withinBounds } from './bounds.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { besideLog, loggedLine, loggedMean, loggedOf, meanOf } from './logged.ts'
import { measureRewards, type RewardMeasures } from './reward.ts'
import {
  type Argument,
  compared,
  conclude,
  holds,
  type Judgement,
  lesserFaults,
  notCheckable,
  stated,
} from './verdict.ts'

/** Reward signal degradation: rewards that hardly tell one rollout of a group from another, or components that pull apart. */
export const H05: Hypothesis = {
  id: 'H05',
  title: 'Reward signal degradation',
  claim: 'Rewards contrast too little within groups, or their components conflict.',
  judge: (input) =>
    conclude(
      H05,
      input,
      besideLog(decide(input), [
        ...loggedLine(input.logs, 'reward', 'mean reward'),
        ...loggedLine(input.logs, 'reward-std', 'reward std within groups'),
        ...loggedLine(input.logs, 'clipped-ratio', 'share of rollouts that a limit ended'),
      ]),
    ),
}

function decide(input: HypothesisInput): Judgement {
  const missing = (['rewards', 'group'] as const).filter((stream) => !input.streams.has(stream))
  if (missing.length > 0) return fromLog(input, missing)
  const found = measureRewards(input.dump)
  if (found.completeGroups === 0)
    return fromLog(input, ['complete groups: every group lacks members, or rewards that are numbers'])

  const { thresholds } = input.dump.settings
  const flat = found.groupsWithoutContrast / found.completeGroups
  // Without a range every group is flat already.
  const within = found.range === 0 ? null : found.within / found.range
  const supported =
    holds(flat, flatBounds(thresholds).supported) ||
    (within !== null && holds(within, withinBounds(thresholds).supported)) ||
    (found.contrastRatio !== null && holds(found.contrastRatio, contrastBounds(thresholds).supported)) ||
    (found.components ?? []).some((each) => opposes(each, thresholds))
  return {
    // Components whose weights are not known may conflict unseen.
    verdict: supported ? 'supported' : found.componentsUnexplained ? 'inconclusive' : 'contradicted',
    because: [...argumentsOf(found, flat, within, thresholds), ...lesserFaults(H05, input, ['A01'])],
    missing: found.componentsUnexplained
      ? ['the weights of the reward components: the total is not a weighted sum of those stored']
      : input.streams.has('reward_components')
        ? []
        : ['reward_components'],
    // All measures could have ruled either way.
    firm: true,
  }
}

/** Where rollouts do not tell, the share of groups without contrast may have been logged (TRL, `frac_reward_zero_std`). */
function fromLog(input: HypothesisInput, missing: readonly string[]): Judgement {
  const logged = loggedOf(input.logs, 'flat-groups')
  if (logged === null) return notCheckable(missing)
  const { supported } = flatBounds(input.dump.settings.thresholds)
  return {
    verdict: holds(meanOf(logged), supported) ? 'supported' : 'inconclusive',
    because: loggedMean(logged, 'share of groups without contrast', supported),
    missing,
    firm: false,
  }
}

/** A component that carries much of the variance, and is high where the total is low. */
function opposes({ varianceShare, correlation }: ComponentMeasures, thresholds: Thresholds): boolean {
  return pullsAgainst(correlation) && holds(varianceShare, opposingBounds(thresholds).supported)
}

function pullsAgainst(correlation: number | null): boolean {
  return correlation !== null && correlation < 0
}

function argumentsOf(found: RewardMeasures, flat: number, within: number | null, thresholds: Thresholds): Argument[] {
  const flatBound = flatBounds(thresholds)
  const withinBound = withinBounds(thresholds)
  const contrast = contrastBounds(thresholds)
  return [
    ...compared('share of complete groups without contrast', flat, flatBound.supported, flatBound.contradicted, [
      'A01',
    ]),
    ...compared(
      'mean reward std within groups, as a share of the reward range',
      within,
      withinBound.supported,
      withinBound.contradicted,
    ),
    ...compared(
      'contrast ratio: std within groups / std between groups',
      found.contrastRatio,
      contrast.supported,
      contrast.contradicted,
    ),
    ...(found.components ?? []).flatMap((each) => componentLines(each, thresholds)),
    ...stated('mean reward std within groups', found.within),
    ...stated('reward range', found.range),
  ]
}

function componentLines({ name, varianceShare, correlation }: ComponentMeasures, thresholds: Thresholds): Argument[] {
  const share = `share of the variance within groups from reward component ${name}`
  if (!pullsAgainst(correlation)) return stated(share, varianceShare)
  const { supported, contradicted } = opposingBounds(thresholds)
  return [
    ...compared(`${share}, against the total`, varianceShare, supported, contradicted),
    ...stated(`correlation of ${name} with the total`, correlation),
  ]
}
