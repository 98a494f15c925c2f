import type { MeasureUnit } from '../../../shared/session/requests/compare.ts'
import { count } from '../../text/numbers.ts'

/** A power of ten that numbers are written in, and what then stands behind each. */
interface Scale {
  readonly power: number
  readonly suffix: string
}

const THOUSANDS: readonly Scale[] = [
  { power: 12, suffix: 'T' },
  { power: 9, suffix: 'B' },
  { power: 6, suffix: 'M' },
  { power: 3, suffix: 'K' },
]

/** More decimals than these before a K make the plain number easier to read. */
const MOST_DECIMALS = 2
/** More digits than a double has: the numbers of one axis are then too unlike for one power of ten. */
const MOST_DIGITS = 17

/**
 * The numbers beside an axis, which says its unit once. All have the decimals that the finest needs, so that no two grid lines bear the
 * same number and each reads back to its tick; 0 has none.
 * @param ticks finite
 */
export function tickWords(ticks: readonly number[], unit: MeasureUnit): string[] {
  const known = ticks.filter((tick) => tick !== 0).map(digitsOf)
  const percent = unit === 'share' ? 2 : 0
  const scale = scaleOf(known, percent)
  const decimals = decimalsAt(known, scale.power)
  const unlike = decimals > MOST_DIGITS
  return ticks.map((tick) => {
    const digits = digitsOf(tick)
    const own = unlike ? powerScale(digits.exponent, percent) : scale
    const written = tick === 0 ? '0' : inScale(digits, own.power, unlike ? decimalsAt([digits], own.power) : decimals)
    return `${tick < 0 ? '−' : ''}${written}${tick === 0 ? '' : own.suffix}${percent > 0 ? ' %' : ''}`
  })
}

/** The fewest digits that read back to a number without its sign, and the power of ten of the first. */
interface Digits {
  readonly digits: string
  readonly exponent: number
}

function digitsOf(value: number): Digits {
  const [digits = '0', exponent = '0'] = Math.abs(value).toExponential().split('e')
  return { digits: digits.replace('.', ''), exponent: Number(exponent) }
}

function decimalsAt(known: readonly Digits[], power: number): number {
  return Math.max(0, ...known.map(({ digits, exponent }) => digits.length - 1 - exponent + power))
}

function scaleOf(known: readonly Digits[], percent: number): Scale {
  const largest = Math.max(...known.map(({ exponent }) => exponent)) + percent
  if (largest >= 15 || largest < -4) return powerScale(largest - percent, percent)
  const plain = { power: -percent, suffix: '' }
  if (largest < 4) return plain
  const fits = ({ power }: Scale) => power <= largest && decimalsAt(known, power - percent) <= MOST_DECIMALS
  const thousands = THOUSANDS.find(fits)
  return thousands === undefined ? plain : { ...thousands, power: thousands.power - percent }
}

function powerScale(exponent: number, percent: number): Scale {
  const shown = exponent + percent
  return { power: exponent, suffix: shown === 0 ? '' : `e${shown < 0 ? '−' : '+'}${Math.abs(shown)}` }
}

/** The digits themselves with the point moved: a division could change the last. */
function inScale({ digits, exponent }: Digits, power: number, decimals: number): string {
  const ahead = exponent - power + 1
  const all = ahead > 0 ? digits.padEnd(ahead, '0') : '0'.repeat(1 - ahead) + digits
  const wholes = Math.max(1, ahead)
  const whole = count(Number(all.slice(0, wholes)))
  return decimals === 0 ? whole : `${whole}.${all.slice(wholes).padEnd(decimals, '0')}`
}
