import { forEachOf, type Steps } from '../../model/steps.ts'
import type { GroupView } from '../check.ts'
import { rewardsOf } from './statistics.ts'

/** Values below which rewards are a few marks, such as right and wrong, and nothing was rounded. */
const FEWEST_VALUES = 32

/** Decimals that writers round to; advantages made of what has more are the same within the tolerance. */
const DECIMALS = [1, 2, 3] as const

/** Bits that bfloat16 keeps of a number, the leading one included. */
const BFLOAT16_BITS = 8

/**
 * How far the reward that an advantage was made of may lie from the one that is stored, by its value: half a unit of the digits that all rewards of a
 * dump share, decimals or those of bfloat16. 0 where they keep more, or take a few values alone.
 */
export function* roundingOfRewards(groups: readonly GroupView[]): Steps<(reward: number) => number> {
  const values = new Set<number>()
  let decimals: readonly number[] = DECIMALS
  let isBfloat16 = true
  yield* forEachOf(groups, (group) => {
    if (decimals.length === 0 && !isBfloat16) return
    for (const reward of rewardsOf(group)) {
      if (values.size < FEWEST_VALUES) values.add(reward)
      if (isBfloat16) isBfloat16 = hasBitsOfBfloat16(reward)
      while (decimals.length > 0 && !isOfDecimals(reward, decimals[0] as number)) decimals = decimals.slice(1)
    }
  })
  const [places] = decimals
  if (values.size < FEWEST_VALUES) return () => 0
  if (places !== undefined) return () => 10 ** -places / 2
  return isBfloat16 ? (reward) => Math.abs(reward) * 2 ** -BFLOAT16_BITS : () => 0
}

function isOfDecimals(value: number, places: number): boolean {
  const shifted = value * 10 ** places
  return Math.abs(shifted - Math.round(shifted)) < ROUNDING * Math.max(1, Math.abs(shifted))
}

/** What float32 leaves of a decimal fraction. */
const ROUNDING = 1e-6

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** bfloat16 is float32 without its lower half. */
function hasBitsOfBfloat16(value: number): boolean {
  float[0] = value
  return ((bits[0] as number) & 0xffff) === 0
}
