import { ABSENT, decimalsOf, fourDigits, inDecimals, percent } from './numbers.ts'

/** Numbers that stand beside each other, and what they differ by. */
export interface Alike {
  /** In the order in which they were given. */
  readonly values: readonly string[]
  /** A difference of them: of shares in percentage points, without their unit; its sign is left out. */
  difference(value: number): string
}

/** Shares from 0 to 1 as percentages of like decimals; null is absent. */
export function sharesAlike(shares: readonly (number | null)[]): Alike {
  const plain = shares.map((share) => (share === null ? ABSENT : percent(share)))
  const decimals = plain.some((text) => /^\d+\.\d/.test(text)) ? 1 : 0
  return {
    values: plain.map((text) => (decimals > 0 ? text.replace(/^(\d+) %$/, '$1.0 %') : text)),
    difference: (value) => inDecimals(Math.abs(value) * 100, decimals),
  }
}

/** Numbers in four digits and like decimals, unless one of them would be left with fewer than two digits; null is absent. */
export function numbersAlike(numbers: readonly (number | null)[]): Alike {
  const decimals = decimalsOf(numbers)
  const least = 10 ** (1 - decimals)
  const canBeAlike = numbers.every((number) => number === null || number === 0 || Math.abs(number) >= least)
  const words = (number: number) => (canBeAlike ? inDecimals(number, decimals) : fourDigits(number))
  return {
    values: numbers.map((number) => (number === null ? ABSENT : words(number))),
    difference: (value) => words(Math.abs(value)),
  }
}
