import type { Measure } from '../model/report.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { isFrameFault, type MaskingMeasures, measureMasking } from './masking.ts'
import { H02 as LIMITS } from './thresholds.ts'
import { conclude, type Judgement, lesserFaults, measure, notCheckable } from './verdict.ts'

/** Token masking errors: the loss covers tokens the model did not write, or misses those it did. */
export const H02: Hypothesis = {
  id: 'H02',
  title: 'Token masking errors',
  claim: 'In multi-turn tool conversations the loss covers the wrong tokens.',
  judge: (input) => conclude(H02, input, decide(input)),
}

function decide(input: HypothesisInput): Judgement {
  const missing = (['ids', 'mask'] as const).filter((stream) => !input.streams.has(stream))
  if (missing.length > 0) return notCheckable(missing)
  const found = measureMasking(input)
  const { unsampledShare: share, systematic, failing } = found
  // A mask without a single 1 has no weight to share out, and is itself what the M codes report.
  if (share === null && found.looked.length === 0) return notCheckable(whatOraclesLack(input))

  // Which token a mask value belongs to is not settled: only what the ids themselves lack counts.
  const undecided = input.dump.settings.alignmentUndecided
  const proof = undecided ? systematic.filter(({ code }) => isFrameFault(code)) : systematic
  const heavy = !undecided && share !== null && share >= LIMITS.supportedWeight
  const light = share === null ? input.totalWeight === 0 : share < LIMITS.contradictedWeight
  const supported = proof.length > 0 || heavy
  const contradicted = !undecided && failing.length === 0 && light
  const verdict = supported ? 'supported' : contradicted ? 'contradicted' : 'inconclusive'
  return {
    verdict,
    because: [
      ...measures(found, verdict),
      ...lesserFaults(
        H02,
        input,
        failing.map(({ code }) => code),
      ),
    ],
    missing: lacks(input, undecided, share),
    firm: proof.length > 0 || heavy || contradicted,
  }
}

function measures(found: MaskingMeasures, verdict: Judgement['verdict']): Measure[] {
  const contradicted = verdict === 'contradicted'
  const because: Measure[] = [
    measure(
      'share of the loss weight on tokens that no oracle calls sampled',
      found.unsampledShare,
      contradicted ? '<' : '>=',
      contradicted ? LIMITS.contradictedWeight : LIMITS.supportedWeight,
      ['M01', 'M08', 'M09', 'M11', 'M12'],
    ),
  ]
  for (const check of found.failing) {
    const systematic = found.systematic.includes(check)
    because.push(
      measure(
        `${systematic ? 'systematic' : 'sporadic'}: ${check.title} (${check.code}), places`,
        check.places.affected,
        '>',
        0,
        [check.code],
      ),
    )
  }
  if (found.failing.length === 0) {
    because.push(
      measure(
        'mask and frame checks that fail at error level',
        0,
        '=',
        0,
        found.looked.map(({ code }) => code),
      ),
    )
  }
  return because
}

function lacks(input: HypothesisInput, undecided: boolean, share: number | null): string[] {
  const missing = undecided ? ['the alignment of the mask: declare whether index i marks token i or token i + 1'] : []
  return share === null ? [...missing, ...whatOraclesLack(input)] : missing
}

function whatOraclesLack(input: HypothesisInput): string[] {
  return input.streams.has('tokenizer') ? ['turns in the ids, or a record of what was sampled'] : ['tokenizer']
}
