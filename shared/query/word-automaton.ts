import { RE2JS } from 're2js'
import type { TextTemplate } from '../checks/texts/text-template.ts'
import type { Item } from './language/ast.ts'
import { compileRegex } from './language/regex.ts'

/** Beyond so many states texts are looked at one by one. */
const MOST_STATES = 1024
/** Texts between the numbers of templates, of all templates that are met. */
const MOST_LITERALS = 64

/**
 * What is read at once: three decimal digits, two, one; one hexadecimal one; texts between numbers; two hexadecimal ones. Each is the number that
 * it spells, from its first on. The last have a table of their own.
 */
const SYMBOLS = { three: 0, two: 1000, one: 1100, nibble: 1110, literal: 1126, byte: 1126 + MOST_LITERALS } as const
const WIDTH = SYMBOLS.byte
const BYTES = 256

const ASCII = /^[ -~]*$/

/** Where texts fit whatever follows. */
const FOUND = 0
/** Where nobody has looked yet what follows. It is never left, so that several symbols are read before anybody asks whether it came to this. */
const UNKNOWN = 1

type Engine = ReturnType<RE2JS['re2']>['dfa']

/** As re2js numbers them: at the beginning of a text, which is that of a line; a search that may begin anywhere; what stands behind a text. */
const AT_START = 1 | 4
const ANYWHERE = 0
const END = -1

/**
 * Texts of templates (`text-template.ts`) read by a machine of states, some digits at a time: where in what is looked for a text has come to hangs
 * on nothing but the state and on what it reads next, which is found out once.
 */
export class WordAutomaton {
  /** As re2js has them, behind the two above. */
  private readonly states: unknown[] = [null, null]
  private readonly numbers = new Map<unknown, number>()
  private readonly literals = new Map<string, number>()
  /** By state and symbol the next state. */
  private table = new Uint16Array(0)
  private bytes = new Uint16Array(0)
  /** By state, whether a text that ends there fits; 2 where nobody asked. */
  private readonly ends = new Uint8Array(MOST_STATES).fill(2)

  private constructor(
    private readonly engine: Engine,
    /** Texts are read in lower case. */
    private readonly lowers: boolean,
  ) {}

  /** Null for what cannot be read so. Throws for a regular expression that cannot be read. */
  static of(item: Item, match: 'whole' | 'contains'): WordAutomaton | null {
    const regex = regexOf(item, match)
    if (regex === null) return null
    const engine = regex.re2().dfa
    return engine.failed ? null : new WordAutomaton(engine, item.kind !== 'regex')
  }

  /**
   * Writes 1 for each text of a template that fits, 0 for others; false where that is not told by numbers.
   *
   * @param numbersOf the numbers of all texts in a slot, which are read before the next slot is asked for
   */
  read({ literals, slots }: TextTemplate, numbersOf: (slot: number) => Float64Array, into: Int32Array): boolean {
    const start = this.stateOf(this.engine.makeState([this.engine.prog.start], AT_START, []))
    if (start === null) return false
    into.fill(start)
    for (const [slot, { base, digits }] of slots.entries()) {
      if (!this.readLiteral(literals[slot] as string, into)) return false
      const numbers = numbersOf(slot)
      const isRead = base === 16 ? this.readBytes(numbers, digits, into) : this.readDecimals(numbers, digits, into)
      if (!isRead) return false
    }
    return this.readLiteral(literals.at(-1) as string, into) && this.readEnds(into)
  }

  private literal(text: string): number | null {
    const known = this.literals.get(text)
    if (known !== undefined) return known
    // Others may be several characters in the other case, or half of one.
    if (!ASCII.test(text) || this.literals.size === MOST_LITERALS) return null
    const number = this.literals.size
    this.literals.set(text, number)
    return number
  }

  private readLiteral(text: string, states: Int32Array): boolean {
    if (text === '') return true
    const literal = this.literal(text)
    if (literal === null) return false
    const symbol = SYMBOLS.literal + literal
    for (let done = 0; done < states.length; done++) {
      done = followSymbol(this.table, symbol, states, done)
      if (done === states.length) return true
      const state = this.next(states[done] as number, symbol)
      if (state === UNKNOWN) return false
      states[done] = state
    }
    return true
  }

  private readBytes(numbers: Float64Array, digits: number, states: Int32Array): boolean {
    for (let i = 0; i < states.length; i++) {
      if (digits === 8) i = followEight(this.bytes, numbers, states, i)
      else if (digits === 4) i = followFour(this.bytes, numbers, states, i)
      if (i === states.length) return true
      const state = this.afterBytes(states[i] as number, numbers[i] as number, digits)
      if (state === UNKNOWN) return false
      states[i] = state
    }
    return true
  }

  private afterBytes(from: number, number: number, digits: number): number {
    let state = from
    let shift = 4 * digits
    if ((digits & 1) === 1) {
      shift -= 4
      state = this.next(state, SYMBOLS.nibble + ((number >>> shift) & 0xf))
    }
    while (shift > 0 && state !== UNKNOWN) {
      shift -= 8
      const byte = (number >>> shift) & 0xff
      const next = this.bytes[state * BYTES + byte] as number
      state = next === UNKNOWN ? this.find(state, SYMBOLS.byte + byte) : next
    }
    return state
  }

  private readDecimals(numbers: Float64Array, digits: number, states: Int32Array): boolean {
    for (let i = 0; i < states.length; i++) {
      const number = numbers[i] as number
      const state =
        digits === 1 && number < MILLION
          ? this.afterFew(states[i] as number, number | 0)
          : this.afterMany(states[i] as number, number, digits)
      if (state === UNKNOWN) return false
      states[i] = state
    }
    return true
  }

  /** Behind a number below a million, as it is written without zeros before it. */
  private afterFew(state: number, number: number): number {
    if (number < 1000) return this.next(state, firstDigits(number))
    const thousands = (number / 1000) | 0
    const next = this.next(state, firstDigits(thousands))
    return next === UNKNOWN ? UNKNOWN : this.next(next, SYMBOLS.three + number - 1000 * thousands)
  }

  /** Behind any number of a template, written with at least so many digits. */
  private afterMany(from: number, number: number, digits: number): number {
    let [state, rest] = [from, number]
    let left = digits
    while (left < TENS.length - 1 && rest >= (TENS[left] as number)) left++
    while (left > 0 && state !== UNKNOWN) {
      const width = left % 3
      left -= width === 0 ? 3 : width
      const scale = TENS[left] as number
      const group = Math.floor(rest / scale)
      rest -= group * scale
      state = this.next(state, group + (width === 0 ? SYMBOLS.three : width === 1 ? SYMBOLS.one : SYMBOLS.two))
    }
    return state
  }

  private readEnds(states: Int32Array): boolean {
    const { ends } = this
    for (let i = 0; i < states.length; i++) {
      const state = states[i] as number
      if (ends[state] === 2 && !this.findEnd(state)) return false
      states[i] = ends[state] as number
    }
    return true
  }

  private findEnd(state: number): boolean {
    if (state === FOUND) {
      this.ends[state] = 1
      return true
    }
    const last = this.engine.step(this.states[state], this.engine.numClasses, END, ANYWHERE) as Matching | null
    if (last === null) return false
    this.ends[state] = Number(last.isMatch)
    return true
  }

  private next(state: number, symbol: number): number {
    const next = this.table[state * WIDTH + symbol] as number
    return next === UNKNOWN ? this.find(state, symbol) : next
  }

  private find(state: number, symbol: number): number {
    let next: number | null = state
    for (const character of this.textOf(symbol)) {
      if (next === FOUND || next === null) break
      const code = character.charCodeAt(0)
      next = this.stateOf(this.engine.step(this.states[next], this.engine.runeClass(code), code, ANYWHERE))
    }
    if (next === null) return UNKNOWN
    if (symbol < SYMBOLS.byte) this.table[state * WIDTH + symbol] = next
    else this.bytes[state * BYTES + symbol - SYMBOLS.byte] = next
    return next
  }

  private textOf(symbol: number): string {
    if (symbol >= SYMBOLS.byte) return (symbol - SYMBOLS.byte).toString(16).padStart(2, '0')
    if (symbol >= SYMBOLS.literal) {
      const text = [...this.literals.keys()][symbol - SYMBOLS.literal] as string
      return this.lowers ? text.toLowerCase() : text
    }
    if (symbol >= SYMBOLS.nibble) return (symbol - SYMBOLS.nibble).toString(16)
    if (symbol >= SYMBOLS.one) return String(symbol - SYMBOLS.one)
    if (symbol >= SYMBOLS.two) return String(symbol - SYMBOLS.two).padStart(2, '0')
    return String(symbol).padStart(3, '0')
  }

  /** The number of a state; null where there are too many. */
  private stateOf(state: Matching | null): number | null {
    if (state === null) return null
    if (state.isMatch) return FOUND
    const known = this.numbers.get(state)
    if (known !== undefined) return known
    if (this.states.length === MOST_STATES) return null
    const number = this.states.push(state) - 1
    this.numbers.set(state, number)
    if ((number + 1) * WIDTH > this.table.length) this.makeRoom()
    return number
  }

  private makeRoom(): void {
    const states = Math.min(MOST_STATES, Math.max(16, 4 * this.states.length))
    this.table = widened(this.table, states, WIDTH)
    this.bytes = widened(this.bytes, states, BYTES)
  }
}

function widened(table: Uint16Array, states: number, width: number): Uint16Array<ArrayBuffer> {
  const wider = new Uint16Array(states * width)
  wider.fill(UNKNOWN, table.length)
  wider.set(table)
  // What was found stays so.
  wider.fill(FOUND, 0, width)
  return wider
}

// Each takes one text after the other to its next state and returns the place of the first whose state is not known yet. Functions of their own, as in
// `verdict-loops.ts`, with places that cannot overflow: in loops of a method the engine checks both with each step, which is most of the work.

function followEight(bytes: Uint16Array, numbers: Float64Array, states: Int32Array, from: number): number {
  for (let i = from; i < states.length; i++) {
    const number = (numbers[i] as number) | 0
    let state = states[i] as number
    state = bytes[(state << 8) | (number >>> 24)] as number
    state = bytes[(state << 8) | ((number >>> 16) & 0xff)] as number
    state = bytes[(state << 8) | ((number >>> 8) & 0xff)] as number
    state = bytes[(state << 8) | (number & 0xff)] as number
    if (state === UNKNOWN) return i
    states[i] = state
  }
  return states.length
}

function followFour(bytes: Uint16Array, numbers: Float64Array, states: Int32Array, from: number): number {
  for (let i = from; i < states.length; i++) {
    const number = (numbers[i] as number) | 0
    let state = states[i] as number
    state = bytes[(state << 8) | ((number >>> 8) & 0xff)] as number
    state = bytes[(state << 8) | (number & 0xff)] as number
    if (state === UNKNOWN) return i
    states[i] = state
  }
  return states.length
}

function followSymbol(table: Uint16Array, symbol: number, states: Int32Array, from: number): number {
  for (let i = from; i < states.length; i++) {
    const state = table[(Math.imul(states[i] as number, WIDTH) + symbol) | 0] as number
    if (state === UNKNOWN) return i
    states[i] = state
  }
  return states.length
}

/** One to three digits with which a number begins. */
function firstDigits(group: number): number {
  return group + (group < 10 ? SYMBOLS.one : group < 100 ? SYMBOLS.two : SYMBOLS.three)
}

/** The part of a state of re2js that is looked at: it comes behind a match. */
interface Matching {
  readonly isMatch: boolean
}

const MILLION = 1_000_000
/** 1, 10, 100 … as many as numbers of templates have digits, and one more. */
const TENS = Float64Array.from({ length: 16 }, (_, i) => 10 ** i)

/** An item as a regular expression for texts in lower case, or for texts as they are where it is one; null for others. */
function regexOf(item: Item, match: 'whole' | 'contains'): RE2JS | null {
  if (item.kind === 'regex') return compileRegex(item.source, item.flags)
  if (item.kind !== 'word' && item.kind !== 'glob') return null
  const text = item.text.toLowerCase()
  if (!ASCII.test(text)) return null
  const pieces = item.kind === 'glob' ? text.split('*') : [text]
  const source = pieces.map((piece) => RE2JS.quote(piece)).join('.*')
  return RE2JS.compile(match === 'whole' ? `^${source}\\z` : source, RE2JS.DOTALL)
}
