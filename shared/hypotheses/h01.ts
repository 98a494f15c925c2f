import { type AdvantageFit, isGroupScaled } from '../checks/groups/advantages.ts'
import { isByRow, measuringRowCredit } from '../checks/groups/rows-of-rollout.ts'
import { fitOf, fitting, isOtherwise, measuringSpreads, type Scaling, scalingOf } from '../checks/groups/scaling.ts'
import { lackOfGroups } from '../checks/groups/statistics.ts'
import { count, counted, percent } from '../model/number-text.ts'
import { atOnce, within } from '../model/steps.ts'
import { type AdvantageMeasures, measureAdvantages } from './advantages.ts'
import { amplifiedBounds, type Bounds } from './bounds.ts'
import { askingForGroups, doubtOfGroups } from './doubtful-groups.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { besideLog, loggedLine } from './logged.ts'
import { BY_WHOLE_RANGE, floorText, RANGE_HELD_AGAINST, scaleText } from './reward.ts'
import {
  type Argument,
  checkOf,
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
import { boundText } from './would-change.ts'

/** Advantage scaling instability: rewards that hardly differ, divided by their own tiny std. */
export const H01: Hypothesis = {
  id: 'H01',
  title: 'Advantage scaling instability',
  claim: 'Similar rewards have a small std; dividing by it makes advantages of noise, and updates cancel.',
  sees: inCompleteGroups,
  *measure(input) {
    const { dump } = input
    yield* within(0, 0.5, fitting(dump))
    yield* within(0.5, 0.9, measuringSpreads(dump, scalingOf(dump)))
    yield* within(0.9, 1, askingForGroups(input))
  },
  judge: (input) =>
    conclude(
      H01,
      input,
      besideLog(decide(input), [
        ...loggedLine(input.logs, 'reward-std', 'reward std within groups'),
        ...loggedLine(input.logs, 'grad-norm', 'gradient norm'),
      ]),
    ),
}

function decide(input: HypothesisInput): Judgement {
  const missing = (['rewards', 'group'] as const).filter((stream) => !input.streams.has(stream))
  if (missing.length > 0) return notCheckable(missing)
  const found = measureAdvantages(input.dump)
  if (found.completeGroups === 0) return notCheckable([lackOfGroups(input.dump)])

  const { scaling } = found
  const bounds = amplifiedBounds(input.dump.settings.thresholds)
  const explosion = checkOf(input, 'A03')
  const isOverBound = scaling !== null && isGroupScaled(scaling.scheme)
  const exploded = explosion?.status === 'fail' && isOverBound
  // Where no std of a group is known to divide, something else may have made them.
  const isUnexplained = found.infiniteGroups > 0 && !isOverBound
  const amplified = scaling?.scaled === true && holds(found.amplifiedShare, bounds.supported)
  // Without a known scaling, a spread that is not small cannot be amplified either. Groups without any show neither.
  const few =
    found.meanStd !== 0 && holds(scaling === null ? found.noiseShare : found.amplifiedShare, bounds.contradicted)
  const unscaled = scaling !== null && !scaling.scaled
  // Whether a few extremes are part of the range decides here: too much for a verdict.
  const byWhole = !unscaled && few && holds(found.shareOfWhole, bounds.supported)
  // Under an unscaled scheme no std makes an advantage explode, and infinite ones are known without A03.
  const unlooked = unscaled ? [] : notRun(input, ['A03'])
  // Advantages that no known scheme gives have no known bound: a spread that is not small does not show that they are in order.
  const { dump } = input
  const isUnknown =
    scaling === null && (fitOf(dump) !== null || isByRow(atOnce(measuringRowCredit(dump)), dump.settings.thresholds))
  // Whichever groups there are, no std of theirs divides under an unscaled scheme.
  const doubt = unscaled || exploded || amplified ? null : doubtOfGroups(input)
  // What divides is known of groups that the advantages fit, right or wrong; what would divide in the right ones is not.
  const divides = scaling?.fit?.accepted === true
  const fewDivided = few && !byWhole && !isUnknown && unlooked.length === 0 && (doubt === null || divides)
  const contradicted = !isUnexplained && (unscaled || fewDivided)
  const verdict = exploded || amplified ? 'supported' : contradicted ? 'contradicted' : 'inconclusive'
  const unknown = scaling !== null ? [] : input.streams.has('advantages') ? ['how rewards are scaled'] : ['advantages']
  return {
    verdict,
    because: [
      ...schemeLine(found, bounds),
      ...shareLine(found, bounds),
      ...(byWhole ? wholeLine(found, bounds) : []),
      ...(isUnexplained
        ? infiniteLine(found.infiniteGroups)
        : explosion === null || explosion.checked === 0
          ? []
          : compared(
              'groups with an advantage above its bound',
              explosion.affected,
              { comparison: '>', threshold: 0 },
              { comparison: '=', threshold: 0 },
              ['A03'],
            )),
      ...restingOn('reward-spread', stated('noise floor of the reward std', floorText(found.noiseFloors))),
      ...restingOn('rewards', stated(RANGE_HELD_AGAINST, scaleText(found))),
      ...restingOn('reward-spread', stated('mean reward std within groups', found.meanStd)),
      ...restingOn('largest-advantages', stated('largest |advantage|', found.largestAdvantage)),
      ...restingOn(
        'largest-advantages',
        stated(`bound of |advantage| under this scheme, in groups of ${found.groupSize}`, found.bound),
      ),
      ...restingOn('advantages', stated('mean |advantage| over all rollouts', found.meanAbsoluteAdvantage)),
      ...restingOn(
        'groups-below-noise',
        stated('largest amplification of a spread below the floor', found.largestAmplification),
      ),
      ...restingOn('groups-below-noise', stated('largest reward gap below the floor', found.largestNoiseGap)),
      ...lesserFaults(H01, input, ['A02', 'A03']),
    ],
    missing: [...(doubt === null ? [] : [doubt]), ...unknown, ...leftOut(unlooked)],
    firm: doubt === null && (!exploded || explosion.pattern === 'systematic' || amplified),
  }
}

function infiniteLine(groups: number): Argument[] {
  const name = "groups with an infinite advantage, though none is known to be divided by its group's std"
  return deciding({ contradicted: 'no advantage is infinite' }, stated(name, groups, ['A03']))
}

function shareLine(
  { scaling, meanStd, noiseShare, amplifiedShare, amplification }: AdvantageMeasures,
  { supported, contradicted }: Bounds,
): Argument[] {
  if (meanStd === 0)
    return restingOn('groups-without-spread', stated('share of complete groups with any spread of rewards', 0))
  const share = 'share of complete groups with a reward std below the noise floor'
  if (scaling?.scaled) {
    const amplified = `${share}, amplified ${amplification} times or more`
    return restingOn('groups-below-noise', compared(amplified, amplifiedShare, supported, contradicted, ['A02']))
  }
  // Nothing divides by the std: the share is stated, and the scheme decides.
  if (scaling !== null) return restingOn('groups-below-noise', stated(share, noiseShare))
  const lines = compared(`${share} (scaling unknown)`, noiseShare, supported, contradicted)
  const scaledToo = `rewards are divided by the std of their group, and the ${share} is ${boundText(share, supported)}`
  return restingOn('groups-below-noise', deciding({ supported: scaledToo }, lines)).map((line) =>
    line.speaksFor === 'supported' ? { ...line, speaksFor: null } : line,
  )
}

function wholeLine({ scaling, shareOfWhole, amplification }: AdvantageMeasures, { supported }: Bounds): Argument[] {
  const amplified = scaling === null ? ' (scaling unknown)' : `, amplified ${amplification} times or more`
  const name = `share of complete groups with a reward std below the noise floor${amplified}${BY_WHOLE_RANGE}`
  const otherwise = { comparison: '<', threshold: supported.threshold } as const
  return deciding({ supported: null }, compared(name, shareOfWhole, supported, otherwise))
}

/** `, times 900` where a constant multiplies what the scheme gives. */
function factorText(fit: AdvantageFit | null): string {
  return fit === null || !fit.accepted || fit.factor === 1 ? '' : `, times ${Number(fit.factor.toPrecision(3))}`
}

/** `25 groups`, `2,000 groups taken from 25,000`. */
function comparedGroups(fit: AdvantageFit | null): string {
  const { groups = 0, comparable = groups } = fit ?? {}
  return `${counted(groups, 'group')}${comparable > groups ? ` taken from ${count(comparable)}` : ''}`
}

/** What tells the scheme; both, where what is stored and what is declared do not agree. */
function knownFrom({ origin, declared, fit }: Scaling): string {
  const otherwise = declared !== null && isOtherwise(fit, declared)
  const fits = `fits ${Math.round((fit?.share ?? 0) * 100)} % of ${comparedGroups(fit)}, residual ${percent(fit?.residual ?? null)} of the largest advantage`
  if (origin === 'given') return otherwise ? `given; what is stored is that of ${fit?.scheme}, which ${fits}` : 'given'
  return declared === null ? fits : `${fits}; declared as ${declared}`
}

function schemeLine({ scaling }: AdvantageMeasures, { supported }: Bounds): Argument[] {
  if (scaling === null) return restingOn('scheme', stated('advantage scheme', 'unknown'))
  const { scheme, eps, floor, fit, scaled } = scaling
  const least = floor === 0 ? '' : `, of a std of ${Number(floor.toPrecision(3))} or more`
  const formula = `${scaled ? `${scheme}, eps ${eps}${least}` : scheme}${factorText(fit)}`
  const share = 'share of complete groups with a reward std below the noise floor'
  const otherwise = `advantages are divided by the std of their group, and the ${share} is ${boundText(share, supported)}`
  const lines = restingOn('scheme', stated('advantage scheme', `${formula} (${knownFrom(scaling)})`))
  return scaled
    ? lines
    : deciding({ supported: otherwise }, lines).map((line) => ({ ...line, speaksFor: 'contradicted' }))
}
