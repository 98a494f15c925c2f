import { type ComponentMeasures, findingComponents } from '../checks/groups/components.ts'
import { isNarrowed } from '../checks/groups/reward-scales.ts'
import { lackOfGroups } from '../checks/groups/statistics.ts'
import { within } from '../model/steps.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import { type Bounds, contrastBounds, flatBounds, opposingBounds, withinBounds } from './bounds.ts'
import { chosenByReward } from './chosen-by-reward.ts'
import { askingForGroups, doubtOfGroups } from './doubtful-groups.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { besideLog, loggedLine, loggedMean, loggedOf, meanOf } from './logged.ts'
import {
  BY_WHOLE_RANGE,
  floorText,
  measureRewards,
  RANGE_HELD_AGAINST,
  type RewardMeasures,
  scaleText,
} from './reward.ts'
import { trainedByOther } from './trained-by-other.ts'
import {
  type Argument,
  compared,
  conclude,
  deciding,
  holds,
  inCompleteGroups,
  type Judgement,
  leftOut,
  lesserFaults,
  notCheckable,
  notRun,
  restingOn,
  stated,
} from './verdict.ts'

/** Reward signal degradation: rewards that hardly tell one rollout of a group from another, or components that pull apart. */
export const H05: Hypothesis = {
  id: 'H05',
  title: 'Reward signal degradation',
  claim: 'Rewards contrast too little within groups, or their components conflict.',
  sees: inCompleteGroups,
  *measure(input) {
    yield* within(0, 0.8, findingComponents(input.dump))
    yield* within(0.8, 1, askingForGroups(input))
  },
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
  if (found.completeGroups === 0) return fromLog(input, [lackOfGroups(input.dump)])

  const { thresholds } = input.dump.settings
  const flat = found.groupsWithoutContrast / found.completeGroups
  const flatInRange = found.groupsFlatInRange / found.completeGroups
  const { range } = found
  const isFlat = (share: number) => holds(share, flatBounds(thresholds).supported)
  const isBelow = (value: number | null, { supported }: Bounds) => value !== null && holds(value, supported)
  const isOtherwiseSupported =
    isBelow(found.withinShare, withinBounds(thresholds)) ||
    (range > 0 && isBelow(found.contrastRatio, contrastBounds(thresholds))) ||
    (found.components ?? []).some((each) => isConflict(each, thresholds))
  // Rewards may be given in a small unit: that they differ by less than a fixed amount alone does not make it noise.
  const isOfUnit = isFlat(flat) && !isFlat(flatInRange) && !isOtherwiseSupported
  // Where the whole range is noise, shares of it say nothing; every group is without contrast already.
  const isNoise = range === 0 || (range < found.noiseFloors[1] && !isOfUnit)
  const within = isNoise ? null : found.withinShare
  const contrast = isNoise ? null : found.contrastRatio
  const apart = apartFromRewards(input.dump)
  const supported = !isOfUnit && apart === null && (isFlat(flat) || isOtherwiseSupported)
  // Whether a few extremes are part of the range decides here: too much for a verdict.
  const byWhole =
    !supported &&
    !isOfUnit &&
    found.scales.some(isNarrowed) &&
    (isFlat(found.flatShareOfWhole) || isBelow(found.withinShareOfWhole, withinBounds(thresholds)))
  // Components may cancel each other and neither go against the total: it does not decide, but they are not in order.
  const cancel = input.checks.some(
    ({ code, status, severity }) => code === 'A09' && status === 'fail' && severity !== 'info',
  )
  const unlooked = input.streams.has('reward_components') ? notRun(input, ['A09']) : []
  const doubt = supported ? null : doubtOfGroups(input)
  return {
    // Components whose weights are not known may conflict unseen.
    verdict: supported
      ? 'supported'
      : found.componentsUnexplained ||
          cancel ||
          isOfUnit ||
          apart !== null ||
          byWhole ||
          doubt !== null ||
          unlooked.length > 0
        ? 'inconclusive'
        : 'contradicted',
    because: [
      ...(isOfUnit
        ? unitLines(flat, flatInRange, thresholds)
        : apart !== null
          ? apartLines(flat, apart)
          : flatLines(FLAT, flat, thresholds)),
      ...argumentsOf(found, { within, contrast }, thresholds),
      ...(byWhole ? wholeLines(found, thresholds) : []),
      ...faultLines(input, cancel),
    ],
    missing: [
      ...(doubt === null ? [] : [doubt]),
      ...(apart === null ? [] : [apart.missing]),
      ...(isOfUnit
        ? [
            `whether rewards that differ by so little are told apart on purpose: their std within groups is ${Math.round(100 * (found.withinShare ?? 0))} % of their own range, and mostly below noise-std (${thresholds['noise-std']}), which is to be set lower where they are (--threshold noise-std=…)`,
          ]
        : []),
      ...(found.componentsUnexplained
        ? ['the weights of the reward components: the total is not a weighted sum of those stored']
        : input.streams.has('reward_components')
          ? []
          : ['reward_components']),
      ...(supported ? [] : leftOut(unlooked)),
    ],
    // All measures could have ruled either way.
    firm: true,
  }
}

/** Lesser faults, of which components that cancel each other keep the hypothesis from being contradicted. */
function faultLines(input: HypothesisInput, cancel: boolean): Argument[] {
  const isConflict = ({ measure }: Argument) => cancel && measure.checks.includes('A09')
  return lesserFaults(H05, input, ['A01']).flatMap((line) =>
    isConflict(line) ? deciding({ contradicted: 'no reward component goes against another (A09)' }, [line]) : [line],
  )
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
function isConflict({ varianceShare, opposes }: ComponentMeasures, thresholds: Thresholds): boolean {
  return opposes && holds(varianceShare, opposingBounds(thresholds).supported)
}

/** Wider than what A01 counts, whose name it has in it: it would read as another count of the same groups. */
const FLAT = 'share of complete groups without contrast (A01), or whose rewards differ by noise alone'

function flatLines(name: string, share: number, thresholds: Thresholds): Argument[] {
  const { supported, contradicted } = flatBounds(thresholds)
  return restingOn('groups-without-contrast', compared(name, share, supported, contradicted, ['A01', 'A02']))
}

/** Stated where the range is 0. */
export const ONLY_REWARD = 'reward of every rollout in complete groups'

/** Of rewards whose spread is small in units of reward, and not in their own range. */
function unitLines(flat: number, flatInRange: number, thresholds: Thresholds): Argument[] {
  const below = stated(
    `share of complete groups with a reward std below the fixed noise floor, ${thresholds['noise-std']}`,
    flat,
  )
  return [
    ...flatLines(`${FLAT}, by the range of these rewards`, flatInRange, thresholds),
    ...deciding(
      {
        supported: 'rewards that differ by so little are noise',
        contradicted: 'rewards that differ by so little are told apart on purpose',
      },
      restingOn('groups-below-noise', below),
    ),
  ]
}

/** Why rewards without contrast may say nothing of what the run learns from, and what would tell. */
interface Apart {
  readonly missing: string
  readonly supported: string
  readonly contradicted: string
}

function apartFromRewards(dump: HypothesisInput['dump']): Apart | null {
  const chosen = chosenByReward(dump)
  if (chosen !== null) {
    return {
      missing: `whether rollouts of other rewards were left out of the dump: ${chosen}`,
      supported: 'no rollout of another reward was left out of the dump',
      contradicted: 'rollouts of other rewards were left out of the dump, and their groups had contrast',
    }
  }
  const other = trainedByOther(dump)
  if (other === null) return null
  return {
    missing: `what the run learns from: ${other}`,
    supported: 'the run is meant to learn from these rewards',
    contradicted: 'the run learns from something else, which has contrast within groups',
  }
}

function apartLines(flat: number, { supported, contradicted }: Apart): Argument[] {
  const line = restingOn('groups-without-contrast', stated(FLAT, flat, ['A01']))
  return deciding({ supported, contradicted }, line)
}

/** What supports where rare extremes are part of the range, and does not as groups are judged. */
function wholeLines(found: RewardMeasures, thresholds: Thresholds): Argument[] {
  const lines = [
    ...flatLines(`${FLAT}${BY_WHOLE_RANGE}`, found.flatShareOfWhole, thresholds),
    ...withinLines(`${WITHIN}${BY_WHOLE_RANGE}`, found.withinShareOfWhole, thresholds),
  ]
  return deciding(
    { supported: null },
    lines.filter(({ speaksFor }) => speaksFor === 'supported'),
  )
}

const WITHIN = 'mean reward std within groups, as a share of the reward range'

function withinLines(name: string, share: number | null, thresholds: Thresholds): Argument[] {
  const { supported, contradicted } = withinBounds(thresholds)
  return restingOn('reward-spread', compared(name, share, supported, contradicted))
}

interface Shares {
  readonly within: number | null
  readonly contrast: number | null
}

function argumentsOf(found: RewardMeasures, { within, contrast }: Shares, thresholds: Thresholds): Argument[] {
  const contrastBound = contrastBounds(thresholds)
  return [
    ...withinLines(WITHIN, within, thresholds),
    ...restingOn(
      'group-means',
      compared(
        'contrast ratio: std within groups / std between groups',
        contrast,
        contrastBound.supported,
        contrastBound.contradicted,
      ),
    ),
    ...(found.components ?? []).flatMap((each) => componentLines(each, thresholds)),
    ...restingOn('reward-spread', stated('mean reward std within groups', found.within)),
    ...restingOn('rewards', stated('reward range', found.range)),
    ...restingOn('rewards', stated(RANGE_HELD_AGAINST, scaleText(found))),
    ...restingOn('rewards', stated(ONLY_REWARD, found.only)),
    ...restingOn('reward-spread', stated('noise floor of the reward std', floorText(found.noiseFloors))),
  ]
}

function componentLines(
  { name, varianceShare, correlation, opposes }: ComponentMeasures,
  thresholds: Thresholds,
): Argument[] {
  const share = `share of the variance within groups from reward component ${name}`
  const resting = (lines: readonly Argument[]) => restingOn({ component: name }, lines)
  if (!opposes) return resting(stated(share, varianceShare))
  const { supported, contradicted } = opposingBounds(thresholds)
  return [
    ...resting(compared(`${share}, against the total`, varianceShare, supported, contradicted)),
    ...resting(stated(`correlation of ${name} with the total`, correlation)),
  ]
}
