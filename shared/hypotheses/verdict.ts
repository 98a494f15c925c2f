import type { CheckResult, HypothesisResult, Measure } from '../model/report.ts'
import type { Hypothesis, HypothesisInput } from './hypothesis.ts'
import { FEW_ROLLOUTS, MANY_ROLLOUTS, SYSTEMATIC_PLACES, SYSTEMATIC_SHARE } from './thresholds.ts'

/** One line of `because`. `threshold` null = stated, not compared. */
export function measure(
  name: string,
  value: Measure['value'],
  comparison: Measure['comparison'],
  threshold: Measure['threshold'],
  checks: readonly string[] = [],
): Measure {
  return { measure: name, value, threshold, comparison, checks: [...checks] }
}

/** What a hypothesis says of a dump, before its confidence is known. */
export interface Judgement {
  readonly verdict: HypothesisResult['verdict']
  readonly because: readonly Measure[]
  readonly missing: readonly string[]
  /** The verdict rests on a systematic fault, or on a measure that could have ruled either way. */
  readonly firm: boolean
}

/** The contract's rule: high with 50 rollouts or more and a firm measure, low with fewer than 10, else medium. */
export function conclude(
  hypothesis: Pick<Hypothesis, 'id' | 'title'>,
  input: HypothesisInput,
  { verdict, because, missing, firm }: Judgement,
): HypothesisResult {
  const rollouts = input.dump.facts.length
  const decided = verdict === 'supported' || verdict === 'contradicted'
  const confidence =
    rollouts < FEW_ROLLOUTS || verdict === 'not-checkable'
      ? 'low'
      : rollouts >= MANY_ROLLOUTS && decided && firm
        ? 'high'
        : 'medium'
  const { id, title } = hypothesis
  return { id, title, verdict, confidence, because: [...because], missing: [...new Set(missing)] }
}

export function notCheckable(missing: readonly string[], because: readonly Measure[] = []): Judgement {
  return { verdict: 'not-checkable', because, missing, firm: false }
}

export function checkOf(input: HypothesisInput, code: string): CheckResult | null {
  return input.checks.find((check) => check.code === code) ?? null
}

/** Failing checks that belong to a hypothesis and did not decide it: listed as present, never as its cause. */
export function lesserFaults(
  hypothesis: Pick<Hypothesis, 'id'>,
  input: HypothesisInput,
  decisive: readonly string[],
): Measure[] {
  return input.checks
    .filter(
      ({ code, status, hypotheses }) =>
        status === 'fail' && hypotheses.includes(hypothesis.id) && !decisive.includes(code),
    )
    .map(({ code, title, rate }) => measure(`present: ${title} (${code}), rate`, rate, '>', null, [code]))
}

/**
 * A fault at nearly every place of one kind: over all places, or at every edge of one kind (a newline that only follows
 * assistant turns is missing at all of those and at no other edge).
 */
export function isSystematic(check: CheckResult): boolean {
  if (check.pattern === 'systematic') return true
  if (check.affected < SYSTEMATIC_PLACES) return false
  return Object.values(check.by_boundary).some(
    ({ checked, affected }) => affected >= SYSTEMATIC_PLACES && affected >= SYSTEMATIC_SHARE * checked,
  )
}
