import type { Count } from '../model/report.ts'
import type { Thresholds } from '../model/thresholds/registry.ts'
import { lostBounds, nearLimitBounds, visibleBounds } from './bounds.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { measureTruncation, type TruncationMeasures } from './truncation.ts'
import {
  type Argument,
  behind,
  compared,
  conclude,
  holds,
  type Judgement,
  lesserFaults,
  notCheckable,
  stated,
} from './verdict.ts'

/** Context truncation: limits cut away what the answer needs, or the answer. */
export const H04: Hypothesis = {
  id: 'H04',
  title: 'Context truncation',
  claim:
    'Length limits cut supporting passages or answers, so the same behaviour is rewarded one time and not the next.',
  judge: (input) => conclude(H04, input, decide(input)),
}

function decide(input: HypothesisInput): Judgement {
  if (!input.streams.has('ids')) return notCheckable(['ids'])
  const found = measureTruncation(input)
  const near = share(found.nearAny)
  if (near === null) {
    return notCheckable(['limits: none is given, in the metadata, or shown by rollouts that end at one length'])
  }
  const { thresholds } = input.dump.settings
  const nearBounds = nearLimitBounds(thresholds)
  const lost = share(found.lost)
  const visible = share(found.documentsVisible)
  const supported =
    holds(near, nearBounds.supported) ||
    (lost !== null && holds(lost, lostBounds(thresholds).supported)) ||
    (visible !== null && holds(visible, visibleBounds(thresholds).supported))
  // Without documents there are none to lose; without ends that tell, "nothing lost" is not known.
  const contradicted =
    !supported &&
    holds(near, nearBounds.contradicted) &&
    lost !== null &&
    holds(lost, lostBounds(thresholds).contradicted)
  return {
    verdict: supported ? 'supported' : contradicted ? 'contradicted' : 'inconclusive',
    because: [...argumentsOf(found, { near, lost, visible }, thresholds), ...lesserFaults(H04, input, [])],
    missing: [
      ...(lost === null ? [input.streams.has('tokenizer') ? 'turns in the ids' : 'tokenizer'] : []),
      ...(visible === null ? ['documents'] : []),
    ],
    // All three measures could have ruled either way.
    firm: true,
  }
}

interface Shares {
  readonly near: number | null
  readonly lost: number | null
  readonly visible: number | null
}

function argumentsOf(found: TruncationMeasures, { near, lost, visible }: Shares, thresholds: Thresholds): Argument[] {
  const nearBounds = nearLimitBounds(thresholds)
  const lostBound = lostBounds(thresholds)
  const visibleBound = visibleBounds(thresholds)
  const limits = found.nearLimit.map(({ limit, value }) => `${limit} ${value}`).join(', ')
  const cut = found.rewardCut !== null && found.rewardClosed !== null
  return [
    ...behind(
      found.nearFilter,
      compared(
        `share of rollouts within ${found.nearTokens} tokens of a limit (${limits})`,
        near,
        nearBounds.supported,
        nearBounds.contradicted,
      ),
    ),
    ...behind(
      { lostText: true },
      compared('share of rollouts that lost text', lost, lostBound.supported, lostBound.contradicted, [
        'C01',
        'C03',
        'C07',
        'C12',
      ]),
    ),
    ...behind(
      { documentsHidden: true },
      compared(
        'share of rollouts whose supporting documents are visible at the answer',
        visible,
        visibleBound.supported,
        visibleBound.contradicted,
      ),
    ),
    ...stated('mean length in tokens', found.meanLength),
    ...stated('longest rollout in tokens', found.longest),
    ...(cut ? stated('mean reward of rollouts that end properly', found.rewardClosed) : []),
    ...(cut ? stated('mean reward of rollouts that are cut', found.rewardCut) : []),
    ...stated('correlation of length and reward', found.lengthRewardCorrelation),
  ]
}

function share(count: Count | null): number | null {
  return count === null ? null : count.affected / count.checked
}
