import { CHECKS } from '../checks/registry.ts'
import type { CheckResult } from '../model/report.ts'
import type { HypothesisInput } from './hypothesis.ts'
import { isSystematicAfterFirst } from './multi-step.ts'

/** Faults of the ids themselves, which no misread mask can feign. */
const FRAME_FAULTS = ['T05', 'T07']

/** The checks whose faults decide H02: M codes of error severity, and the frame faults. */
export const MASKING_CODES: readonly string[] = CHECKS.filter(
  ({ code, severity }) => severity === 'error' && (code.startsWith('M') || isFrameFault(code)),
).map(({ code }) => code)

export interface MaskingMeasures {
  /** Share of the loss weight on tokens that no oracle calls sampled; null where no oracle could look. */
  readonly unsampledShare: number | null
  /** Those of `MASKING_CODES` that could look, and whose findings are errors. */
  readonly looked: readonly CheckResult[]
  readonly failing: readonly CheckResult[]
  readonly systematic: readonly CheckResult[]
}

export function measureMasking(input: HypothesisInput): MaskingMeasures {
  // A check of error severity decides nothing where all that it found is less (M04, M10, T07).
  const deciding = input.checks.filter(({ code, severity }) => MASKING_CODES.includes(code) && severity === 'error')
  const failing = deciding.filter(({ status }) => status === 'fail')
  const { unsampledWeight, totalWeight } = input
  return {
    unsampledShare: unsampledWeight === null || !totalWeight ? null : unsampledWeight / totalWeight,
    looked: deciding.filter(({ status }) => status === 'fail' || status === 'pass'),
    failing,
    systematic: failing.filter(
      // A header that is missing from every turn but the first is missing from too few turns to be systematic over all of them.
      (check) => check.pattern === 'systematic' || (check.code === 'T05' && isSystematicAfterFirst(check, input.dump)),
    ),
  }
}

export function isFrameFault(code: string): boolean {
  return FRAME_FAULTS.includes(code)
}
