import type { WordReader } from '../checks/facts/fact-columns.ts'
import { type Column, cellAt, KIND } from '../checks/facts/packed-columns.ts'
import type { Numbers } from '../checks/facts/packed-numbers.ts'
import { fillNumbers, type Rows } from '../checks/facts/read-columns.ts'
import type { TextTemplate } from '../checks/texts/text-template.ts'
import type { Item } from './language/ast.ts'
import { wordMatcher } from './match-words.ts'
import { keepWithin, numbersBehind, type WantedNumbers } from './template-matches.ts'
import { WordAutomaton } from './word-automaton.ts'

/** Of more items than these each word is asked for by itself: the tables of one take up to 3 MB. */
const MOST_AUTOMATA = 8

/** What words have to begin with, or be, in lower case. */
interface Start {
  readonly text: string
  readonly isWhole: boolean
}

/**
 * Reads 1 for words that fit, 0 for others and -1 where there is none. Words of a template (`text-template.ts`) are told by their numbers where
 * they are looked for by how they begin, and else read some digits at a time; of others each that a batch keeps once is asked for once.
 */
export class WordTest implements WordReader {
  private template: TextTemplate | null = null
  /** Of words of `template`, one for each start; null where their texts have to be looked at. */
  private wanted: readonly WantedNumbers[] | null = null
  private numbers = new Float64Array(0)
  private open = new Int32Array(0)

  constructor(
    private readonly matches: (word: string) => boolean,
    /** What `matches` asks, where it is no more than that. */
    private readonly starts: readonly Start[] | null = null,
    /** What tells the same of texts of templates, one for each of several alternatives; null where nothing does. */
    private readonly automata: readonly WordAutomaton[] | null = null,
  ) {}

  static ofItems(items: readonly Item[], match: 'whole' | 'contains'): WordTest {
    const matches = wordMatcher(items, match)
    // Of an empty list every test would be true.
    const words = items.filter(({ kind }) => kind !== 'number' && kind !== 'range')
    if (words.length === 0) return new WordTest(matches)
    const starts = match === 'whole' ? words.map(startOf) : [null]
    if (starts.every((start) => start !== null)) return new WordTest(matches, starts)
    // Each automaton takes tables of its own, and each is asked of every template.
    const automata = words.length > MOST_AUTOMATA ? [] : words.map((item) => WordAutomaton.of(item, match))
    const isTold = automata.length > 0 && automata.every((each) => each !== null)
    return new WordTest(matches, null, isTold ? automata : null)
  }

  numberOf(word: unknown): number {
    return typeof word === 'string' ? Number(this.matches(word)) : -1
  }

  read(column: Column, rows: Rows, into: Int32Array, at: number): void {
    const { row, length } = rows
    if (column.kind === KIND.same) into.fill(this.numberOf(column.values), at, at + length)
    else if (column.kind === KIND.chosen) {
      const values = column.values as readonly unknown[]
      const chosen = column.numbers as Numbers
      const known = this.ofDistinct(values, column.parts?.[0] ?? null)
      for (let i = 0; i < length; i++) into[at + i] = known[chosen[row + i] as number] as number
    } else if (!this.readTemplated(column, rows, into, at)) {
      for (let i = 0; i < length; i++) into[at + i] = this.numberOf(cellAt(column, row + i))
    }
  }

  private ofDistinct(values: readonly unknown[], templated: Column | null): Int32Array {
    const known = new Int32Array(values.length)
    const isRead = templated !== null && this.readTemplated(templated, { row: 0, length: known.length }, known, 0)
    if (!isRead) for (let i = 0; i < known.length; i++) known[i] = this.numberOf(values[i])
    return known
  }

  /** False, with nothing read, for what is no template, and where the texts have to be looked at. */
  private readTemplated(column: Column, rows: Rows, into: Int32Array, at: number): boolean {
    if (column.kind !== KIND.templated) return false
    if (this.automata !== null) return this.readByAutomata(this.automata, column, rows, into, at)
    const wanted = this.wantedOf(column.values as TextTemplate)
    if (wanted === null) return false
    const { length } = rows
    this.makeRoom(length)
    const own = into.subarray(at, at + length).fill(0)
    const numbers = this.numbers.subarray(0, length)
    const open = this.open.subarray(0, length)
    for (const slots of wanted) {
      open.fill(1)
      for (let slot = 0; slot < slots.length; slot++) {
        const ranges = slots[slot] as WantedNumbers[number]
        if (ranges.length > 0) fillNumbers(column.parts?.[slot] as Column, [], rows, numbers, 0)
        keepWithin(numbers, ranges, open)
      }
      for (let i = 0; i < length; i++) own[i] = (own[i] as number) | (open[i] as number)
    }
    markAbsent(column, rows, own)
    return true
  }

  private readByAutomata(
    automata: readonly WordAutomaton[],
    column: Column,
    rows: Rows,
    into: Int32Array,
    at: number,
  ): boolean {
    const { length } = rows
    this.makeRoom(length)
    const own = into.subarray(at, at + length)
    const numbers = this.numbers.subarray(0, length)
    const fits = this.open.subarray(0, length)
    const numbersOf = (slot: number) => {
      fillNumbers(column.parts?.[slot] as Column, [], rows, numbers, 0)
      return numbers
    }
    own.fill(0)
    for (const automaton of automata) {
      if (!automaton.read(column.values as TextTemplate, numbersOf, fits)) return false
      for (let i = 0; i < length; i++) own[i] = (own[i] as number) | (fits[i] as number)
    }
    markAbsent(column, rows, own)
    return true
  }

  private wantedOf(template: TextTemplate): readonly WantedNumbers[] | null {
    if (this.template === null || !isSpeltAs(this.template, template)) {
      const wanted = this.starts?.map(({ text, isWhole }) => numbersBehind(template, text, isWhole)) ?? [null]
      this.template = template
      this.wanted = wanted.every((each) => each !== null) ? wanted : null
    }
    return this.wanted
  }

  private makeRoom(length: number): void {
    if (this.open.length >= length) return
    this.numbers = new Float64Array(length)
    this.open = new Int32Array(length)
  }
}

function markAbsent({ absent }: Column, { row, length }: Rows, into: Int32Array): void {
  if (absent === null) return
  for (let i = 0; i < length; i++) if (absent[row + i] !== 0) into[i] = -1
}

function startOf(item: Item): Start | null {
  if (item.kind === 'word') return { text: item.text.toLowerCase(), isWhole: true }
  if (item.kind !== 'glob' || item.text.indexOf('*') !== item.text.length - 1) return null
  return { text: item.text.slice(0, -1).toLowerCase(), isWhole: false }
}

/** The same numbers are the same texts in both. */
function isSpeltAs(one: TextTemplate, other: TextTemplate): boolean {
  if (one === other) return true
  const { literals, slots } = one
  return (
    slots.length === other.slots.length &&
    slots.every(({ base, digits }, i) => base === other.slots[i]?.base && digits === other.slots[i]?.digits) &&
    literals.every((literal, i) => literal === other.literals[i])
  )
}
