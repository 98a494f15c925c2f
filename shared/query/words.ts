import type { WordReader } from '../checks/facts/fact-columns.ts'
import { type Column, cellAt, KIND } from '../checks/facts/packed-columns.ts'
import type { Numbers } from '../checks/facts/packed-numbers.ts'
import { fillNumbers, type Rows } from '../checks/facts/read-columns.ts'
import { commonTemplate, type TextTemplate, templatedTexts, textOf } from '../checks/texts/text-template.ts'
import { rowRanks, wordRanks } from './word-order.ts'

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

  /** Numbers whose order is that of the words; equal where words are equal in order. Not to be written to. */
  ranks(): Float64Array {
    if (this.ranked?.of !== this.count) {
      this.ranked = { of: this.count, ranks: this.texts === null ? this.ranksOfNumbers() : wordRanks(this.texts) }
    }
    return this.ranked.ranks
  }

  private ranksOfNumbers(): Float64Array {
    const read = (slot: number) => (this.slots[slot] as Float64Array).slice(0, this.count)
    return rowRanks({ length: this.count, slots: this.slots.length, read, textOf: (word) => this.text(word) })
  }

  /** The number of a word, which is added where it is new; -1 for none. */
  numberOf(word: unknown): number {
    if (typeof word !== 'string') return -1
    if (this.texts === null) {
      const templated = templatedTexts([word])
      if (templated !== null && this.takes(templated.template)) {
        this.makeRoom(this.count + 1)
        for (const [slot, [number]] of templated.numbers.entries()) this.write(slot, number as number)
        return this.ofWritten()
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
    for (let i = row; i < row + length; i++) {
      if (absent !== null && absent[i] !== 0) into[at + i - row] = -1
      else {
        this.makeRoom(this.count + 1)
        for (let slot = 0; slot < slots.length; slot++) this.write(slot, cellAt(slots[slot] as Column, i) as number)
        into[at + i - row] = this.ofWritten()
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

  /** A number of the word that is looked up next, behind those that are there. */
  private write(slot: number, number: number): void {
    const numbers = this.slots[slot] as Float64Array
    numbers[this.count] = number
  }

  /** The number of the word whose numbers were written, which is added where it is new. */
  private ofWritten(): number {
    if (!this.areUnique) {
      if (2 * this.count >= this.table.length) this.widenTable()
      const at = this.placeOf(this.count)
      const known = this.table[at] as number
      if (known !== 0) return known - 1
      this.table[at] = this.count + 1
    }
    return this.count++
  }

  /** Where the table has this word or one with the same numbers, or room for it. */
  private placeOf(word: number): number {
    const mask = this.table.length - 1
    let at = this.hashOf(word) & mask
    while (this.table[at] !== 0 && !this.areSame((this.table[at] as number) - 1, word)) at = (at + 1) & mask
    return at
  }

  private hashOf(word: number): number {
    let hash = 0
    for (const slot of this.slots) {
      const number = slot[word] as number
      hash = Math.imul(hash ^ (number | 0) ^ (number / 2 ** 32), 0x9e3779b1)
      hash ^= hash >>> 15
    }
    return hash
  }

  private areSame(one: number, other: number): boolean {
    for (const slot of this.slots) if (slot[one] !== slot[other]) return false
    return true
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
    this.table = new Int32Array(Math.max(FIRST_ROOM, 4 * this.table.length))
    for (let word = 0; word < this.count; word++) this.table[this.placeOf(word)] = word + 1
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
