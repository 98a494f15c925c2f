import { minus, unitOf } from '../../shared/model/number-text.ts'

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** What a cell shows where the dump carries nothing. */
export const ABSENT = '–'
export const NOT_IN_DUMP = 'not in this dump'

/** `910,233`. */
export function count(value: number): string {
  return whole.format(value)
}

/** `1 rollout`, `12 rollouts`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** What stands beside bars that have no axis of their own: how many the tallest of them is. */
export function tallestBar(most: number, one: string, many = `${one}s`): string {
  return `tallest bar: ${counted(most, one, many)}`
}

/** A share from 0 to 1 as a percentage that never rounds a present fault to 0 % nor a missing one to 100 %. */
export function percent(share: number): string {
  if (!Number.isFinite(share)) return ABSENT
  const value = share * 100
  if (value > 0 && value < 0.1) return '< 0.1 %'
  if (value < 100 && value > 99.9) return '> 99.9 %'
  return `${trimZero(value.toFixed(1))} %`
}

/** A share of a column, as `percent` writes it: each with one digit behind the point, so that points stand below each other; none and all are exact and have none. */
export function percentOfColumn(share: number): string {
  const text = percent(share)
  return share === 0 || share === 1 ? text : text.replace(/^(\d+) %$/, '$1.0 %')
}

/** Up to four significant digits; NaN and infinities as the dump spells them; absent as a dash. */
export function real(value: number | null | undefined): string {
  if (value === null || value === undefined) return ABSENT
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞'
  // Adding 0 takes the sign off −0.
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return minus(count(value + 0))
  const size = Math.abs(value)
  if (size >= 1e6 || size < 1e-4) return minus(value.toExponential(2))
  return minus(trimZero(value.toPrecision(4)))
}

const MOST_DECIMALS = 4

/** Digits behind the point that a column of numbers takes, as far as four show them. */
export function decimalsOf(values: Iterable<number | null | undefined>): number {
  let most = 0
  for (const value of values) {
    const [, digits = ''] = /\.(\d+)$/.exec(real(value)) ?? []
    most = Math.max(most, Math.min(digits.length, MOST_DECIMALS))
  }
  return most
}

/** A number of a column, with as many digits behind the point as all of it, so that points stand below each other. What would be lost so is written as `real` does. */
export function inDecimals(value: number | null | undefined, decimals: number): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return real(value)
  const size = Math.abs(value)
  if (size >= 1000) return fourDigits(value)
  if (size > 0 && size < 0.5 * 10 ** -decimals) return real(value)
  // By the digits as they are written: the number 0.6375 lies a little below them, and would become 0.637.
  const rounded = Math.round(Number(`${size}e${decimals}`)) / 10 ** decimals
  return `${value < 0 ? '−' : ''}${rounded.toFixed(decimals)}`
}

/** A number that was computed, such as a mean: whole ones as they are, of others four digits (`12,350`), without an exponent below a million. */
export function fourDigits(value: number): string {
  const isShort = Number.isInteger(value) || !(Math.abs(value) < 1e6)
  return real(isShort ? value : Number(value.toPrecision(4)))
}

/** `exactly 0.123456`, for the tooltip of a number that is shown in fewer digits; undefined where none is left out. */
export function allDigits(value: number, shown: string): string | undefined {
  const [, digits = '', isShare] = /^([−\d.,e+-]+)( %)?/.exec(shown) ?? []
  const known = Number(digits.replaceAll(',', '').replaceAll('−', '-')) / (isShare === undefined ? 1 : 100)
  const isWhole = digits !== '' && Math.abs(known - value) <= Number.EPSILON * Math.abs(value)
  return isWhole ? undefined : `exactly ${String(value).replace('-', '−')}`
}

/** A measure in the unit that its name says: a share as a percentage, how many times as much, or a plain number. */
export function measured(name: string, value: number | string | null): string {
  if (typeof value !== 'number') return value ?? ABSENT
  const unit = unitOf(name)
  if (unit === 'share' && value >= 0 && value <= 1) return percent(value)
  return unit === 'times' ? `${real(value)}×` : real(value)
}

/** Up to two significant digits behind the whole ones, for the ends of axes: `−5.5`, `0.2`, `0.018`. */
export function rough(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) >= 100) return real(Math.round(value))
  return real(Number(value.toPrecision(2)))
}

/** Bytes in the unit a person would choose: `812 B`, `4.2 MB`. Decimal units, as file managers show. */
export function bytes(value: number): string {
  if (value < 1000) return `${whole.format(value)} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  let size = value
  let unit = -1
  // What would be written as 1000 is one of the next unit.
  while ((size >= 999.5 || unit < 0) && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${size >= 100 ? size.toFixed(0) : size.toFixed(1)} ${units[unit]}`
}

function trimZero(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}
