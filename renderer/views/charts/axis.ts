import { real } from '../../text/numbers.ts'

/** The values that an axis spans, and those that are written beside it; both ascend and `ticks` lie within. */
export interface Axis {
  readonly from: number
  readonly to: number
  readonly ticks: readonly number[]
}

/** Values that spread over less of their size than this are drawn large, on an axis that does not begin at zero. */
const FROM_ZERO = 0.3
/** A spread of so little of their size is how sums are rounded: they are level, and no number beside them could tell them apart. */
const LEVEL = 1e-9

/**
 * An axis of round numbers over values; from zero on unless that would flatten what they do, shares always.
 * @param isShare none is above 1
 * @param pieces about so many lie between its numbers
 */
export function valueAxis(values: readonly (number | null)[], isShare: boolean, pieces = 4): Axis {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value === null) continue
    // No zero is below zero.
    least = Math.min(least, value + 0)
    most = Math.max(most, value + 0)
  }
  if (least > most) return { from: 0, to: 1, ticks: [0, 1] }
  // Halves first: the whole range of two large numbers may be more than a number can be.
  const half = most / 2 - least / 2
  if (least > 0 && (isShare || half >= (FROM_ZERO * most) / 2)) least = 0
  if (most < 0 && half >= (FROM_ZERO * -least) / 2) most = 0
  const size = Math.max(-least, most)
  if (most / 2 - least / 2 <= (LEVEL * size) / 2) [least, most] = aroundOne(most > 0 ? most : least)
  const axis = roundAxis(least, most, pieces)
  return isShare && most <= 1 && axis.to > 1 ? { ...axis, to: 1, ticks: axis.ticks.filter((tick) => tick <= 1) } : axis
}

/** A level line stands on its own value, with zero in sight. */
function aroundOne(value: number): [number, number] {
  if (value === 0) return [0, 1]
  return value > 0 ? [0, value] : [value, 0]
}

function roundAxis(least: number, most: number, pieces: number): Axis {
  const step = roundStep(most / 2 - least / 2, pieces / 2)
  // 100.1 is not below 2,002 times 0.05, whatever its last bits say.
  const first = Math.floor(least / step + CLOSE)
  const last = Math.ceil(most / step - CLOSE)
  const ticks = step > 0 && last - first < MOST_TICKS ? roundTicks(first, last, step) : [least, most]
  if (!ticks.every(Number.isFinite)) return { from: least, to: most, ticks: [least, most] }
  return { from: ticks[0] as number, to: ticks.at(-1) as number, ticks }
}

const CLOSE = 1e-6
const MOST_TICKS = 8

/** Characters that stand side by side under the narrowest chart by step. */
const CHARACTERS_ACROSS = 45

/** Round steps strictly between the first and the last, so far from both that their numbers stand apart: the first is written `step 40`. */
export function stepTicks(first: number, last: number): number[] {
  const across = last - first
  if (!(across > 0) || !Number.isFinite(across)) return []
  const step = Math.max(1, roundStep(across, 5))
  const isApart = (tick: number) => {
    const half = real(tick).length / 2 + 1
    const behind = ((`step ${real(first)}`.length + half) / CHARACTERS_ACROSS) * across
    const before = ((real(last).length + half) / CHARACTERS_ACROSS) * across
    return tick - first >= behind && last - tick >= before
  }
  return roundTicks(Math.ceil(first / step), Math.floor(last / step), step).filter(isApart)
}

/** 1, 2 or 5 times a power of ten: the least of these of which `pieces` are at least the range. */
function roundStep(range: number, pieces: number): number {
  const raw = range / pieces
  const power = 10 ** Math.floor(Math.log10(raw))
  return Number((([1, 2, 5].find((times) => times * power >= raw * 0.999) ?? 10) * power).toPrecision(3))
}

function roundTicks(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => Number(((from + at) * step).toPrecision(12)))
}
