const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))
/** 10^22 is the largest power of ten that a double holds exactly. */
const LARGEST_EXACT_POWER = 22
/** Every integer of this many digits is a double. */
const EXACT_DIGITS = 15
const SPLITTER = 134217729
/** Bound of the relative error of two divisions of a double-double; the true one is below 2^-100. */
const DOUBT = 2 ** -96

/**
 * `(head * 10^tailDigits + tail) * 10^exponent` as the nearest double, without making a string. `head` and `tail` are
 * integers of at most 9 digits; `digits` counts all significant ones. NaN where this way cannot be sure of the last
 * bit, never a wrong number.
 *
 * Short numbers need one rounding. Long ones are kept as the unevaluated sum of two doubles (T. J. Dekker, "A
 * floating-point technique for extending the available precision", 1971), and given up on when that sum lies too near
 * to the middle between two doubles to be sure which one is nearest.
 */
export function decimalToDouble(
  head: number,
  tail: number,
  tailDigits: number,
  digits: number,
  exponent: number,
): number {
  const product = head * (POWERS[tailDigits] as number)
  if (digits <= EXACT_DIGITS) {
    const value = product + tail
    if (exponent === 0) return value
    if (exponent < 0 && exponent >= -LARGEST_EXACT_POWER) return value / (POWERS[-exponent] as number)
    if (exponent > 0 && exponent <= LARGEST_EXACT_POWER) return value * (POWERS[exponent] as number)
  }
  if (exponent > 0 || exponent < -2 * LARGEST_EXACT_POWER) return Number.NaN

  // product is below 10^18: what the double lost of it is small enough to be found by integers of 9 digits.
  const power = POWERS[tailDigits] as number
  const headBig = SPLITTER * head
  const headHigh = headBig - (headBig - head)
  const headLow = head - headHigh
  const powerBig = SPLITTER * power
  const powerHigh = powerBig - (powerBig - power)
  const powerLow = power - powerHigh
  const lost = headLow * powerLow - (product - headHigh * powerHigh - headLow * powerHigh - headHigh * powerLow)
  const rest = lost + tail
  let high = product + rest
  let low = rest - (high - product)

  let left = -exponent
  while (left > 0) {
    const step = left > LARGEST_EXACT_POWER ? left - LARGEST_EXACT_POWER : left
    left -= step
    const divisor = POWERS[step] as number
    const quotient = high / divisor
    const back = quotient * divisor
    const quotientBig = SPLITTER * quotient
    const quotientHigh = quotientBig - (quotientBig - quotient)
    const quotientLow = quotient - quotientHigh
    const divisorBig = SPLITTER * divisor
    const divisorHigh = divisorBig - (divisorBig - divisor)
    const divisorLow = divisor - divisorHigh
    const backLost =
      quotientLow * divisorLow -
      (back - quotientHigh * divisorHigh - quotientLow * divisorHigh - quotientHigh * divisorLow)
    const correction = (high - back - backLost + low) / divisor
    high = quotient + correction
    low = correction - (high - quotient)
  }
  const doubt = high * DOUBT
  return high + (low - doubt) === high && high + (low + doubt) === high ? high : Number.NaN
}
