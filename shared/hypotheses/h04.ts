import type { Count } from '../model/report.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { H04 as RULES } from './thresholds.ts'
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
  const lost = share(found.lost)
  const visible = share(found.documentsVisible)
  const supported =
    holds(near, RULES.nearLimit.supported) ||
    (lost !== null && holds(lost, RULES.lost.supported)) ||
    (visible !== null && holds(visible, RULES.documents.supported))
  // Without documents there are none to lose; without ends that tell, "nothing lost" is not known.
  const contradicted =
    !supported && holds(near, RULES.nearLimit.contradicted) && lost !== null && holds(lost, RULES.lost.contradicted)
  return {
    verdict: supported ? 'supported' : contradicted ? 'contradicted' : 'inconclusive',
    because: [...argumentsOf(found, near, lost, visible), ...lesserFaults(H04, input, [])],
    missing: [
      ...(lost === null ? [input.streams.has('tokenizer') ? 'turns in the ids' : 'tokenizer'] : []),
      ...(visible === null ? ['documents'] : []),
    ],
    // All three measures could have ruled either way.
    firm: true,
  }
}

function argumentsOf(found: TruncationMeasures, near: number, lost: number | null, visible: number | null): Argument[] {
  const limits = found.nearLimit.map(({ limit, value }) => `${limit} ${value}`).join(', ')
  const cut = found.rewardCut !== null && found.rewardClosed !== null
  return [
    ...behind(
      found.nearFilter,
      compared(
        `share of rollouts within ${found.nearTokens} tokens of a limit (${limits})`,
        near,
        RULES.nearLimit.supported,
        RULES.nearLimit.contradicted,
      ),
    ),
    ...behind(
      { lostText: true },
      compared('share of rollouts that lost text', lost, RULES.lost.supported, RULES.lost.contradicted, [
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
        RULES.documents.supported,
        RULES.documents.contradicted,
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
