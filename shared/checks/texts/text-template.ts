import { eightDigits } from '../../model/hash.ts'

/**
 * Texts that differ in their numbers alone, as ids mostly do: `q17`, `step-3/rollout-000012`, `chatcmpl-` and 32 hexadecimal digits, UUIDs. The
 * numbers of a million of them take a few bytes each, and compare as the texts do.
 */
export interface TextTemplate {
  /** What stands before, between and behind the numbers: one more than there are numbers. */
  readonly literals: readonly string[]
  readonly slots: readonly Slot[]
}

interface Slot {
  readonly base: 10 | 16
  /** Decimal numbers of fewer digits are written with zeros before them; hexadecimal ones have exactly as many. */
  readonly digits: number
  /** The fewest digits that any of the texts has here. */
  readonly shortest: number
}

/** What such texts have in common, and the numbers of each, slot by slot; the numbers of a null are 0. */
export interface TemplatedTexts {
  readonly template: TextTemplate
  readonly numbers: readonly number[][]
}

const MOST_SLOTS = 8
/** Decimal numbers of as many digits are exact. */
const MOST_DIGITS = 15
/** Hexadecimal digits of a slot, 32 bits. */
const HEX_DIGITS = 8
/** A UUID (any of its parts may be longer) or at least sixteen hexadecimal digits. That all of them are decimal changes nothing. */
const HEXADECIMAL = /[0-9a-f]{8,}(?:-[0-9a-f]{4,}){3}-[0-9a-f]{12,}|[0-9a-f]{16,}/i
const HEXADECIMALS = new RegExp(HEXADECIMAL, 'gi')
const NUMBERS = new RegExp(`(${HEXADECIMAL.source})|\\d+`, 'gi')

/** A text whose hexadecimal ids, in any case, are as `spell` writes them. */
export function withHexadecimals(text: string, spell: (id: string) => string): string {
  return text.length < 2 * HEX_DIGITS ? text : text.replace(HEXADECIMALS, spell)
}

/** Null for texts that have not the same template, and for those without a number. */
export function templatedTexts(texts: readonly (string | null | undefined)[]): TemplatedTexts | null {
  const first = texts.find((text) => text !== null && text !== undefined)
  const template = first === undefined ? null : templateOf(first)
  if (template === null) return null
  const { literals, slots } = template
  const numbers = slots.map(() => new Array<number>(texts.length).fill(0))
  const shortest = new Array<number>(slots.length).fill(MOST_DIGITS)
  const longest = new Array<number>(slots.length).fill(0)
  const padded = new Array<number>(slots.length).fill(0)
  for (let row = 0; row < texts.length; row++) {
    const text = texts[row]
    if (text === null || text === undefined) continue
    let at = 0
    for (let i = 0; i < slots.length; i++) {
      const literal = literals[i] as string
      if (!text.startsWith(literal, at)) return null
      const start = at + literal.length
      const { base, digits } = slots[i] as Slot
      let value = 0
      const most = base === 16 ? digits : MOST_DIGITS
      for (at = start; at < text.length && at - start < most; at++) {
        const digit = digitAt(text, at, base)
        if (digit < 0) break
        value = value * base + digit
      }
      const length = at - start
      if (length === 0 || (base === 16 ? length < digits : digitAt(text, at, 10) >= 0)) return null
      if (base === 10 && length > 1 && text.charCodeAt(start) === ZERO) {
        if (padded[i] !== 0 && padded[i] !== length) return null
        padded[i] = length
      }
      if (length < (shortest[i] as number)) shortest[i] = length
      if (length > (longest[i] as number)) longest[i] = length
      ;(numbers[i] as number[])[row] = value
    }
    if (text.length - at !== (literals.at(-1) as string).length || !text.endsWith(literals.at(-1) as string))
      return null
  }
  const known = slots.map(({ base, digits }, i): Slot => {
    const fewest = shortest[i] as number
    return base === 16 ? { base, digits, shortest: digits } : { base, digits: padded[i] || 1, shortest: fewest }
  })
  if (known.some((slot) => slot.shortest < slot.digits)) return null
  // Decimal digits beside "a" to "f" or between dashes are a number only while they are few.
  const widest = literals.map((literal, i) => literal + '1'.repeat(longest[i] ?? 0)).join('')
  if (widest.length > (first as string).length && !isOf(templateOf(widest), template)) return null
  return { template: { literals, slots: known }, numbers }
}

function isOf(one: TextTemplate | null, other: TextTemplate): boolean {
  return one !== null && commonTemplate(one, other) !== null
}

const ZERO = 0x30

function digitAt(text: string, at: number, base: 10 | 16): number {
  const code = text.charCodeAt(at)
  if (code >= ZERO && code <= 0x39) return code - ZERO
  return base === 16 && code >= 0x61 && code <= 0x66 ? code - 0x57 : -1
}

function templateOf(text: string): TextTemplate | null {
  const literals: string[] = []
  const slots: Slot[] = []
  const add = (literal: string, base: 10 | 16, digits: number) => {
    literals.push(literal)
    slots.push({ base, digits, shortest: digits })
  }
  let end = 0
  for (const { 0: found, 1: hexadecimal, index } of text.matchAll(NUMBERS)) {
    let before = text.slice(end, index)
    if (hexadecimal === undefined) add(before, 10, 1)
    else {
      // Its numbers would not tell in which case it was written.
      if (/[A-F]/.test(hexadecimal)) return null
      for (const group of hexadecimal.split('-')) {
        for (let at = 0; at < group.length; at += HEX_DIGITS) {
          add(before, 16, Math.min(HEX_DIGITS, group.length - at))
          before = ''
        }
        before = '-'
      }
    }
    end = index + found.length
  }
  if (slots.length === 0 || slots.length > MOST_SLOTS) return null
  return { literals: [...literals, text.slice(end)], slots }
}

/** The template of all texts of two, null where there is none. */
export function commonTemplate(one: TextTemplate, other: TextTemplate): TextTemplate | null {
  if (one === other) return one
  const { literals, slots } = one
  if (slots.length !== other.slots.length || literals.some((literal, i) => literal !== other.literals[i])) return null
  const common: Slot[] = []
  for (const [i, { base, digits, shortest }] of slots.entries()) {
    const own = other.slots[i] as Slot
    const slot = { base, digits: Math.max(digits, own.digits), shortest: Math.min(shortest, own.shortest) }
    if (own.base !== base || slot.shortest < slot.digits) return null
    common.push(slot)
  }
  return { literals, slots: common }
}

export function textOf({ literals, slots }: TextTemplate, numberOf: (slot: number) => number): string {
  let text = literals[0] as string
  for (let i = 0; i < slots.length; i++) {
    const { base, digits } = slots[i] as Slot
    const number = numberOf(i)
    const written = base === 16 ? eightDigits(number).slice(HEX_DIGITS - digits) : String(number).padStart(digits, '0')
    text += written + (literals[i + 1] as string)
  }
  return text
}
