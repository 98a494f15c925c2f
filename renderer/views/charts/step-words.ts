import type { MeasureUnit } from '../../../shared/session/requests/compare.ts'
import { ABSENT, allDigits, decimalsOf, fourDigits, inDecimals, percent, real } from '../../text/numbers.ts'

/** Training steps `from` to `to`, both of them in it, that are drawn as one point. */
export interface Steps {
  readonly from: number
  readonly to: number
}

/** One line of a chart by training step. `steps` ascend and are as many as `values`. */
export interface StepLine {
  /** Whose line it is, where a chart has several. */
  readonly name: string | null
  readonly steps: readonly number[]
  /** The last step of each point; left out where each is of one step. */
  readonly to?: readonly number[]
  readonly values: readonly (number | null)[]
}

/** `0.031 nats`, `12.5 %`. */
export function valueWords(value: number | null | undefined, unit: MeasureUnit): string {
  if (value === null || value === undefined) return ABSENT
  if (unit === 'share') return percent(value)
  const shown = fourDigits(value)
  return unit === 'nats' || unit === 'tokens' ? `${shown} ${unit}` : shown
}

/** Digits behind the point that a column of such values takes. */
export function columnDecimals(values: readonly (number | null)[], unit: MeasureUnit): number {
  return unit === 'share' ? Math.min(1, decimalsOf(values.map((value) => value && value * 100))) : decimalsOf(values)
}

/** A value in a column with like decimals, whose unit stands at its head. */
export function columnWords(value: number | null | undefined, unit: MeasureUnit, decimals: number): string {
  if (unit !== 'share' || value === null || value === undefined) return inDecimals(value, decimals)
  const shown = percent(value)
  return /^[<>–]/.test(shown) ? shown : `${(value * 100).toFixed(decimals)} %`
}

/** The number with all its digits, where `valueWords` rounds it; undefined where it does not. For tooltips. */
export function exactWords(value: number | null | undefined, unit: MeasureUnit): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return allDigits(value, valueWords(value, unit))
}

/** `0.2 → 0.7`, from the first step that tells to the last. */
export function wentWords({ values }: Pick<StepLine, 'values'>, unit: MeasureUnit): string {
  if (values.length === 0) return 'does not tell'
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return 'no finite value'
  return `${valueWords(known[0], unit)} → ${valueWords(known.at(-1), unit)}`
}

/** `step 3`, `steps 1 to 3`. */
export function stepsWords(steps: Steps): string {
  return `${steps.from === steps.to ? 'step' : 'steps'} ${bareStepsWords(steps)}`
}

/** `3`, `1 to 3`. */
export function bareStepsWords({ from, to }: Steps): string {
  return from === to ? real(from) : `${real(from)} to ${real(to)}`
}

/** Where a point is drawn: in the middle of its steps. */
export function middleOf({ from, to }: Steps): number {
  return from + (to - from) / 2
}

/** Where the points of a line are drawn. */
export function middlesOf({ steps, to }: Pick<StepLine, 'steps' | 'to'>): readonly number[] {
  return to === undefined ? steps : steps.map((from, at) => middleOf({ from, to: to[at] ?? from }))
}

/** Place of the point that is drawn nearest to a step; null where there is none. */
export function nearestPoint(points: readonly Steps[], step: number): number | null {
  let best: number | null = null
  let least = Number.POSITIVE_INFINITY
  for (const [at, point] of points.entries()) {
    const distance = Math.abs(middleOf(point) - step)
    if (distance < least) [best, least] = [at, distance]
  }
  return best
}

/** What a query for rollouts says of the steps of a point. */
export function stepsQuery({ from, to }: Steps): string {
  return from === to ? `step:${from}` : `step:${from}..${to}`
}

/** The points of some lines, ascending, each once. */
export function allPoints(lines: readonly StepLine[]): readonly Steps[] {
  const points = lines.flatMap(({ steps, to }) => steps.map((from, at) => ({ from, to: to?.[at] ?? from })))
  if (lines.length === 1) return points
  return [...new Map(points.map((point) => [`${point.from} ${point.to}`, point])).values()].sort(
    (a, b) => a.from - b.from || a.to - b.to,
  )
}

/** The value of a line at a point; null where it has none of just these steps. */
export function valueAt({ steps, to: lasts, values }: StepLine, { from, to }: Steps): number | null {
  const at = firstFrom(steps, from)
  return steps[at] === from && (lasts?.[at] ?? from) === to ? (values[at] ?? null) : null
}

/** Whether any of some ascending steps lies in a point. */
export function isAnyIn(steps: readonly number[], { from, to }: Steps): boolean {
  const next = steps[firstFrom(steps, from)]
  return next !== undefined && next <= to
}

function firstFrom(steps: readonly number[], step: number): number {
  let from = 0
  let to = steps.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((steps[middle] as number) < step) from = middle + 1
    else to = middle
  }
  return from
}
