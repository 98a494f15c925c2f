import { unitOf } from '../model/number-text.ts'
import type { CheckResult, HypothesisResult, Measure } from '../model/report.ts'
import type { Cause } from './causes.ts'

/** Of what a measure counts, that a cause must name before it is said to be all of it. */
const NEARLY_ALL = 0.95

/** Masks that are wrong as a whole: beside checks of single turns, what puts loss on tokens that the model did not write. */
const WHOLE_MASKS: readonly string[] = ['M02', 'M05', 'M06', 'M07']

/** How the measures begin that count tokens by their weight. */
const OF_LOSS_WEIGHT = 'share of the loss weight'

/** Whether one of the measures that speak for a hypothesis counts nothing that the cause does not name. */
export function coversOne(cause: Cause, result: HypothesisResult): boolean {
  return result.because.some((line) => line.speaks === 'for' && covers(cause, line))
}

/**
 * Whether a cause names as many rollouts, or as much of the loss weight, as a measure counts that is taken of facts or tokens: to mend the one is to mend
 * the other, and to tell both would tell one fault twice. Of such a measure the checks only name some of the rollouts, mostly.
 */
export function covers({ parts, lead, extent, codes }: Cause, line: Measure): boolean {
  const share = shareOf(line)
  if (share === 0) return false
  const checks = [lead, ...parts.flatMap(({ symptoms }) => symptoms.map(({ check }) => check))]
  if (line.measure.startsWith(OF_LOSS_WEIGHT)) {
    const counts = ({ code }: CheckResult) => line.checks.includes(code) || WHOLE_MASKS.includes(code)
    return checks.some((check) => counts(check) && (check.affected_weight ?? 0) >= NEARLY_ALL * share)
  }
  if (line.where === undefined || !line.checks.some((code) => codes.includes(code))) return false
  return lead.unit === 'trajectory' && extent.affected >= NEARLY_ALL * share * extent.checked
}

/** The share of the rollouts, groups or tokens that a measure says to be wrong; 0 where it says no such share. */
export function shareOf(line: Measure | undefined): number {
  if (line === undefined || typeof line.value !== 'number' || unitOf(line.measure) !== 'share') return 0
  return line.comparison === '>' || line.comparison === '>=' ? line.value : 1 - line.value
}
