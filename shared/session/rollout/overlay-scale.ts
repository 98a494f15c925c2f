import { counted } from '../../model/number-text.ts'
import { NO_STEP, OVERLAY_STEPS, type OverlayScale } from '../requests/rollout.ts'

/** Share of the values that a scale has to hold; the rest is drawn as its last step. */
const HELD = 0.99
/** Below this many values the last hundredth is less than one of them, and the scale holds all. */
const FEWEST_FOR_PERCENTILE = 100

export interface Reach {
  /** Size of the strong end, above 0. */
  readonly size: number
  /** `99 % of …`, or `all of …`. */
  readonly how: string
}

/**
 * How far a scale reaches so that single outliers do not flatten everything else: the 99th percentile of the sizes, or the
 * largest where there are fewer than a hundred. 1 where all are 0.
 *
 * @param sizes absolute values, any order
 * @param of what the values are of: `scored token`, ` of this rollout`
 */
export function reachOf(sizes: Float64Array, { one, rest }: { readonly one: string; readonly rest: string }): Reach {
  const sorted = sizes.slice().sort()
  const count = sorted.length
  const isRobust = count >= FEWEST_FOR_PERCENTILE
  const at = isRobust ? Math.ceil(HELD * count) - 1 : count - 1
  // Where nearly all are 0 the percentile is 0 as well, and the few others are all there is to see.
  const usesLargest = !isRobust || (sorted[at] ?? 0) === 0
  const size = (usesLargest ? sorted[count - 1] : sorted[at]) ?? 0
  const all = `${counted(count, one)}${rest}`
  const how = count === 1 ? `holds the only ${one}${rest}` : `holds all ${all}`
  return { size: size > 0 ? size : 1, how: usesLargest ? how : `holds 99 % of the ${all}` }
}

/** Where a value lies: 0 at the centre (or the weak end) to 1 at the strong end, negative below the centre; beyond 1 where it is off the scale. */
export function placeOn(scale: OverlayScale, value: number): number {
  if (scale.isLog) return Math.log(value / scale.centre) / Math.log(scale.to / scale.centre)
  if (scale.kind === 'diverging') return (value - scale.centre) / (scale.to - scale.centre)
  return (value - scale.from) / (scale.to - scale.from)
}

/** The step of each value, one per token; `NO_STEP` where it is NaN. */
export function stepsOf(values: Float32Array, scale: OverlayScale): Int8Array {
  const steps = new Int8Array(values.length)
  for (let token = 0; token < values.length; token++) {
    const value = values[token] as number
    steps[token] = Number.isNaN(value) ? NO_STEP : stepOf(placeOn(scale, value))
  }
  return steps
}

function stepOf(place: number): number {
  const step = Math.round(place * OVERLAY_STEPS)
  return Math.max(-OVERLAY_STEPS, Math.min(OVERLAY_STEPS, step)) || 0
}
