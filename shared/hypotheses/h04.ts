import type { Count, Measure } from '../model/report.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { H04 as LIMITS } from './thresholds.ts'
import { measureTruncation, type TruncationMeasures } from './truncation.ts'
import { conclude, type Judgement, lesserFaults, measure, notCheckable } from './verdict.ts'

/** Context truncation: limits cut away what the answer needs, or the answer. */
export const H04: Hypothesis = {
  id: 'H04',
  title: 'Context truncation',
  claim:
    'Length limits cut supporting passages or answers, so the same behaviour is rewarded one time and not the next.',
  judge: (input) => conclude(H04, input, decide(input)),
}

function decide(input: HypothesisInput): Judgement {
  const found = measureTruncation(input)
  if (!input.streams.has('ids')) return notCheckable(['ids'])
  if (found.nearAny === null) {
    return notCheckable(['limits: none is given, in the metadata, or shown by rollouts that end at one length'])
  }
  const near = share(found.nearAny)
  const lost = found.lost === null ? null : share(found.lost)
  const visible = found.documentsVisible === null ? null : share(found.documentsVisible)

  const supported =
    near > LIMITS.nearLimitSupported ||
    (lost !== null && lost >= LIMITS.lostSupported) ||
    (visible !== null && visible < LIMITS.documentsVisible)
  // Without documents there are none to lose; without ends that tell, "nothing lost" is not known.
  const contradicted = near < LIMITS.nearLimitContradicted && lost === 0 && !supported
  const verdict = supported ? 'supported' : contradicted ? 'contradicted' : 'inconclusive'
  return {
    verdict,
    because: [...measures(found, verdict), ...lesserFaults(H04, input, [])],
    missing: [
      ...(lost === null ? [input.streams.has('tokenizer') ? 'turns in the ids' : 'tokenizer'] : []),
      ...(visible === null ? ['documents'] : []),
    ],
    firm: true,
  }
}

function measures(found: TruncationMeasures, verdict: Judgement['verdict']): Measure[] {
  const contradicted = verdict === 'contradicted'
  const because = [
    measure(
      `share of rollouts within 10 tokens of a limit (${found.nearLimit.map(({ limit, value }) => `${limit} ${value}`).join(', ')})`,
      share(found.nearAny as Count),
      contradicted ? '<' : '>',
      contradicted ? LIMITS.nearLimitContradicted : LIMITS.nearLimitSupported,
    ),
    measure(
      'share of rollouts that lost text',
      found.lost === null ? null : share(found.lost),
      contradicted ? '=' : '>=',
      contradicted ? 0 : LIMITS.lostSupported,
      ['C01', 'C03', 'C07', 'C12'],
    ),
    measure(
      'share of rollouts whose supporting documents are visible at the answer',
      found.documentsVisible === null ? null : share(found.documentsVisible),
      contradicted ? '>=' : '<',
      LIMITS.documentsVisible,
    ),
    measure('mean length in tokens', found.meanLength, '=', null),
    measure('longest rollout in tokens', found.longest, '=', null),
  ]
  if (found.rewardCut !== null && found.rewardClosed !== null) {
    because.push(measure('mean reward of rollouts that end properly', found.rewardClosed, '=', null))
    because.push(measure('mean reward of rollouts that are cut', found.rewardCut, '=', null))
  }
  if (found.lengthRewardCorrelation !== null) {
    because.push(measure('correlation of length and reward', found.lengthRewardCorrelation, '=', null))
  }
  return because
}

function share({ checked, affected }: Count): number {
  return affected / checked
}
