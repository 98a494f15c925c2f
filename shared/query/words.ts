import type { WordReader } from '../checks/fact-columns.ts'
import { type Column, cellAt, KIND, type Numbers } from '../checks/packed-columns.ts'
import { fillNumbers, type Rows } from '../checks/read-columns.ts'
import { commonTemplate, type TextTemplate, templatedTexts, textOf } from '../checks/text-template.ts'
import { numberRanks, wordRanks } from './word-order.ts'

/**
 * The words of a field, numbered as they come. As long as all are of one template (`text-template.ts`) only their numbers are kept, by
 * which they are looked up and put in order; else they are texts.
 */
export class Words implements WordReader {
  private count = 0
  private template: TextTemplate | null = null
  /** Of words of a template, their numbers slot by slot. */
  private slots: Float64Array[] = []
  /** Where words of a template are looked up: the number of a word plus one. */
  private table = new Int32Array(0)
  private texts: string[] | null = null
  private readonly byText = new Map<string, number>()
  private ranked: { readonly of: number; readonly ranks: Float64Array } | null = null

  /** `areUnique`: no two rollouts are expected to share a word, so that each is one of its own. */
  constructor(private readonly areUnique: boolean) {}

  get length(): number {
    return this.count
  }

  /** The word of a number. */
  text(word: number): string {
    return this.texts?.[word] ?? textOf(this.template as TextTemplate, (slot) => this.slots[slot]?.[word] as number)
  }

  /** All of them, each made when it is asked for. */
  *[Symbol.iterator](): Generator<string, void> {
    for (let word = 0; word < this.count; word++) yield this.text(word)
  }

  /** The numbers of words whose order is that of the words; equal where the words are equal in order. */
  ranks(): Float64Array {
    if (this.ranked?.of !== this.count) {
      const slots = this.slots.map((slot) => slot.subarray(0, this.count))
      this.ranked = { of: this.count, ranks: this.texts === null ? numberRanks(slots) : wordRanks(this.texts) }
    }
    return this.ranked.ranks
  }

  /** The number of a word, which is added where it is new; -1 for none. */
  numberOf(word: unknown): number {
    if (typeof word !== 'string') return -1
    if (this.texts === null) {
      const templated = templatedTexts([word])
      if (templated !== null && this.takes(templated.template)) {
        return this.ofNumbers(templated.numbers.map(([number]) => number as number))
      }
      this.becomeTexts()
    }
    return this.ofText(word)
  }

  /** Writes the numbers of words that a column holds into `into` from `at` on. */
  read(column: Column, rows: Rows, into: Int32Array, at: number): void {
    if (column.kind === KIND.same) {
      if (!this.areUnique || column.values === null || column.values === undefined) {
        into.fill(this.numberOf(column.values), at, at + rows.length)
        return
      }
    } else if (column.kind === KIND.chosen && !this.areUnique) {
      this.readChosen(column, rows, into, at)
      return
    } else if (column.kind === KIND.templated && this.takes(column.values as TextTemplate)) {
      this.readNumbers(column, rows, into, at)
      return
    }
    for (let i = 0; i < rows.length; i++) into[at + i] = this.numberOf(cellAt(column, rows.row + i))
  }

  private readChosen(column: Column, { row, length }: Rows, into: Int32Array, at: number): void {
    const values = column.values as readonly unknown[]
    const chosen = column.numbers as Numbers
    const templated = column.parts?.[0] ?? null
    const isTaken = templated !== null && this.takes(templated.values as TextTemplate)
    const known = new Int32Array(values.length).fill(UNKNOWN)
    if (isTaken && length === chosen.length) this.readNumbers(templated, { row: 0, length: known.length }, known, 0)
    for (let i = 0; i < length; i++) {
      const value = chosen[row + i] as number
      if (known[value] === UNKNOWN) {
        if (isTaken) this.readNumbers(templated, { row: value, length: 1 }, known, value)
        else known[value] = this.numberOf(values[value])
      }
      into[at + i] = known[value] as number
    }
  }

  private readNumbers({ parts, absent }: Column, { row, length }: Rows, into: Int32Array, at: number): void {
    const slots = parts as readonly Column[]
    if (this.areUnique && absent === null) {
      this.makeRoom(this.count + length)
      for (const [slot, each] of slots.entries()) {
        fillNumbers(each, [], { row, length }, this.slots[slot] as Float64Array, this.count)
      }
      for (let i = 0; i < length; i++) into[at + i] = this.count++
      return
    }
    const numbers = new Array<number>(slots.length).fill(0)
    for (let i = row; i < row + length; i++) {
      if (absent !== null && absent[i] !== 0) into[at + i - row] = -1
      else {
        for (let slot = 0; slot < slots.length; slot++) numbers[slot] = cellAt(slots[slot] as Column, i) as number
        into[at + i - row] = this.ofNumbers(numbers)
      }
    }
  }

  /** Whether words of this template can be kept by their numbers, beside those that are there. */
  private takes(template: TextTemplate): boolean {
    if (this.texts !== null) return false
    if (this.template === null) {
      this.template = template
      this.slots = template.slots.map(() => new Float64Array(0))
      return true
    }
    const common = commonTemplate(this.template, template)
    if (common === null) return false
    this.template = common
    return true
  }

  private ofNumbers(numbers: readonly number[]): number {
    if (!this.areUnique) {
      if (2 * this.count >= this.table.length) this.widenTable()
      const mask = this.table.length - 1
      let at = hashOf(numbers) & mask
      for (; this.table[at] !== 0; at = (at + 1) & mask) {
        const word = (this.table[at] as number) - 1
        if (numbers.every((number, slot) => this.slots[slot]?.[word] === number)) return word
      }
      this.table[at] = this.count + 1
    }
    this.makeRoom(this.count + 1)
    for (let slot = 0; slot < numbers.length; slot++) {
      const own = this.slots[slot] as Float64Array
      own[this.count] = numbers[slot] as number
    }
    return this.count++
  }

  private makeRoom(words: number): void {
    const room = this.slots[0]?.length ?? 0
    if (words <= room) return
    this.slots = this.slots.map((slot) => {
      const wider = new Float64Array(Math.max(FIRST_ROOM, 2 * room, words))
      wider.set(slot)
      return wider
    })
  }

  private widenTable(): void {
    this.table = new Int32Array(Math.max(FIRST_ROOM, 2 * this.table.length))
    const mask = this.table.length - 1
    for (let word = 0; word < this.count; word++) {
      let at = hashOf(this.slots.map((slot) => slot[word] as number)) & mask
      while (this.table[at] !== 0) at = (at + 1) & mask
      this.table[at] = word + 1
    }
  }

  private ofText(word: string): number {
    const texts = this.texts as string[]
    if (this.areUnique) this.count = texts.push(word)
    else {
      const known = this.byText.get(word)
      if (known !== undefined) return known
      this.count = texts.push(word)
      this.byText.set(word, this.count - 1)
    }
    return this.count - 1
  }

  private becomeTexts(): void {
    const texts = [...this]
    this.texts = texts
    if (!this.areUnique) for (const [number, word] of texts.entries()) this.byText.set(word, number)
    this.slots = []
    this.table = new Int32Array(0)
  }
}

const UNKNOWN = -2
const FIRST_ROOM = 1 << 10

function hashOf(numbers: readonly number[]): number {
  let hash = 0
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number
    hash = Math.imul(hash ^ (number | 0) ^ (number / 2 ** 32), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return hash
}
