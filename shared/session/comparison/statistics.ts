import { mean, unbiasedStd } from '../../checks/groups/statistics.ts'
import type { ComparedMeasure, MeasureSection, MeasureUnit } from '../requests/compare.ts'

/** A share of counted things, or the mean of values, as one run has it. Null = the run does not tell. */
export type Sample =
  | { readonly kind: 'share'; readonly of: number; readonly affected: number }
  | { readonly kind: 'values'; readonly values: readonly number[] }

interface Named {
  readonly section: MeasureSection
  readonly id: string
  readonly label: string
  readonly codes?: readonly string[]
}

/** Why each run does not tell. */
export interface Lacks {
  readonly here?: string | null
  readonly there?: string | null
}

/**
 * The shares of two runs. Sure where they are more than `errors` standard errors apart, by the pooled share.
 *
 * @param units the things that are independent of each other, where these are not what was counted: tokens of one rollout are alike
 */
export function comparedShare(
  named: Named,
  here: (Sample & { kind: 'share' }) | null,
  there: (Sample & { kind: 'share' }) | null,
  { errors, lacks = {}, units }: { errors: number; lacks?: Lacks; units?: readonly [number, number] },
): ComparedMeasure {
  const a = here === null || here.of === 0 ? null : here.affected / here.of
  const b = there === null || there.of === 0 ? null : there.affected / there.of
  let isSure: boolean | null = null
  if (here !== null && there !== null && a !== null && b !== null) {
    const pooled = (here.affected + there.affected) / (here.of + there.of)
    const [n, m] = units ?? [here.of, there.of]
    const error = Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    isSure = a !== b && Math.abs(a - b) > errors * error
  }
  return measure(named, 'share', a, b, isSure, lacks)
}

/** The means of two runs. Sure where they are more than `errors` standard errors apart. */
export function comparedMean(
  named: Named,
  unit: Exclude<MeasureUnit, 'share' | 'text'>,
  here: readonly number[],
  there: readonly number[],
  { errors, lacks = {} }: { errors: number; lacks?: Lacks },
): ComparedMeasure {
  const a = here.length === 0 ? null : mean(here)
  const b = there.length === 0 ? null : mean(there)
  let isSure: boolean | null = null
  if (a !== null && b !== null) {
    const error = Math.sqrt(unbiasedStd(here) ** 2 / here.length + unbiasedStd(there) ** 2 / there.length)
    isSure = here.length > 1 && there.length > 1 && a !== b && Math.abs(a - b) > errors * error
  }
  return measure(named, unit, a, b, isSure, lacks)
}

/** Numbers of which nothing tells how far chance moves them. */
export function comparedNumber(
  named: Named,
  unit: Exclude<MeasureUnit, 'text'>,
  here: number | null,
  there: number | null,
  lacks: Lacks = {},
): ComparedMeasure {
  return measure(named, unit, here, there, null, lacks)
}

export function comparedText(
  named: Named,
  here: string | null,
  there: string | null,
  lacks: Lacks = {},
): ComparedMeasure {
  return measure(named, 'text', here, there, here !== null && there !== null ? here !== there : null, lacks)
}

function measure(
  { section, id, label, codes = [] }: Named,
  unit: MeasureUnit,
  here: number | string | null,
  there: number | string | null,
  isSure: boolean | null,
  lacks: Lacks,
): ComparedMeasure {
  return {
    id: `${section}.${id}`,
    section,
    label,
    unit,
    here,
    there,
    distance: distanceOf(unit, here, there),
    isSure,
    lacks: { here: here === null ? (lacks.here ?? null) : null, there: there === null ? (lacks.there ?? null) : null },
    codes,
  }
}

/** Shares by their difference, other numbers by it as a share of the larger one, texts by whether they are the same. */
function distanceOf(unit: MeasureUnit, here: number | string | null, there: number | string | null): number | null {
  if (here === null || there === null) return null
  if (typeof here === 'string' || typeof there === 'string') return here === there ? 0 : 1
  if (here === there) return 0
  const difference = Math.abs(here - there)
  const scale = unit === 'share' ? 1 : Math.max(Math.abs(here), Math.abs(there))
  const distance = difference / scale
  return Number.isFinite(distance) ? Math.min(1, distance) : null
}

/** Differences that chance does not explain first, the largest of them first; what one run does not tell stands last. */
export function byDifference(a: ComparedMeasure, b: ComparedMeasure): number {
  const rank = ({ distance, isSure }: ComparedMeasure) =>
    distance === null ? 3 : distance === 0 ? 2 : isSure === false ? 1 : 0
  return rank(a) - rank(b) || (b.distance ?? 0) - (a.distance ?? 0)
}

/** The value below which 95 of 100 lie; null without any. */
export function percentile95(values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] as number
}
