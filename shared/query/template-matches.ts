import type { TextTemplate } from '../checks/texts/text-template.ts'

/** From one number to another, both included. */
export type Range = readonly [least: number, most: number]

/** What the first numbers of a text have to be, each within one of its ranges; no ranges: none fits. Null where any text fits. */
export type WantedNumbers = readonly (readonly Range[])[]

/** Numbers that a template holds have at most as many decimal digits. */
const MOST_DIGITS = 15

/**
 * The numbers of those texts of a template that begin with some characters, or that are these characters; in any case. Null where that is not told by
 * numbers.
 *
 * @param start in lower case
 */
export function numbersBehind(
  { literals, slots }: TextTemplate,
  start: string,
  isWhole: boolean,
): WantedNumbers | null {
  const wanted: Range[][] = []
  const none = [...wanted, []]
  let rest = start
  for (const [i, given] of literals.entries()) {
    const literal = given.toLowerCase()
    if (literal.length !== given.length) return null
    if (rest.length <= literal.length && !isWhole) return literal.startsWith(rest) ? wanted : none
    if (!rest.startsWith(literal)) return none
    rest = rest.slice(literal.length)
    const slot = slots[i]
    if (slot === undefined) return rest === '' ? wanted : none
    const { base, digits } = slot
    const own = ((base === 16 ? /^[0-9a-f]+/ : /^[0-9]+/).exec(rest)?.[0] ?? '').slice(
      0,
      base === 16 ? digits : undefined,
    )
    rest = rest.slice(own.length)
    if (own === '' || own.length > MOST_DIGITS) return none
    const value = Number.parseInt(own, base)
    if (rest === '' && !isWhole) {
      wanted.push(rangesOf(own, value, base, digits))
      return wanted
    }
    if (value.toString(base).padStart(digits, '0') !== own) return none
    wanted.push([[value, value]])
  }
  return none
}

/** The numbers of at least so many digits that begin with some digits. */
function rangesOf(start: string, value: number, base: 10 | 16, digits: number): Range[] {
  const ranges: Range[] = []
  const most = base === 16 ? digits : MOST_DIGITS
  for (let length = Math.max(start.length, digits); length <= most; length++) {
    // No number of more digits than it needs is written with a zero before it.
    if (length > digits && start.startsWith('0')) break
    const scale = base ** (length - start.length)
    ranges.push([value * scale, (value + 1) * scale - 1])
  }
  return ranges
}

/** Sets 0 for the rows whose numbers lie in none of the ranges. */
export function keepWithin(numbers: Float64Array, ranges: readonly Range[], open: Int32Array): void {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row] as number
    if (number < least) least = number
    if (number > most) most = number
  }
  // The numbers of a batch lie near each other.
  const near = ranges.filter(([from, to]) => from <= most && to >= least)
  if (near.length === 0) open.fill(0)
  else if (near.length > 1)
    for (let row = 0; row < open.length; row++) open[row] = isWithin(numbers, row, near) & (open[row] as number)
  else {
    const [from, to] = near[0] as Range
    if (from <= least && to >= most) return
    for (let row = 0; row < open.length; row++) {
      const number = numbers[row] as number
      open[row] = (open[row] as number) & Number(number >= from) & Number(number <= to)
    }
  }
}

function isWithin(numbers: Float64Array, row: number, ranges: readonly Range[]): 0 | 1 {
  const number = numbers[row] as number
  for (let i = 0; i < ranges.length; i++) {
    const [from, to] = ranges[i] as Range
    if (number >= from && number <= to) return 1
  }
  return 0
}
