import { FactColumns, type WordReader } from '../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { leftToLimits } from '../checks/limits/limits-left.ts'
import { REFUTED_STOP } from '../checks/truncation/told-ends.ts'
import { uncounted } from '../model/uncounted-memory.ts'
import { roomForNumbers } from './order-memory.ts'
import { templateRanks } from './template-ranks.ts'
import {
  HOLDS,
  LEFT_TO_LIMITS,
  NEEDED,
  NUMBER_LISTS,
  NUMBERS,
  type QueryableRollouts,
  type ToldByOthers,
  WORDS,
} from './values.ts'
import { Words } from './words.ts'

/** Words of all rollouts: each different word once (of ids, one for each rollout), and by rollout its index among them, -1 where there is none. */
export interface WordColumn {
  readonly words: Words
  readonly at: Int32Array
}

/** The check codes of rollouts: lists of them, and by rollout its index among these. */
export interface CodeColumn {
  readonly codes: readonly string[]
  /** Places in `codes`. */
  readonly lists: readonly (readonly number[])[]
  readonly at: Int32Array
}

/** Hears of the numbers of some thousand rollouts, those from `at` on; they stand until the next are told. */
export type NumberVisitor = (numbers: Float64Array, at: number) => void

/**
 * What queries compare. Facts are read whenever they are asked for: that takes a few milliseconds a million, and arrays of all their numbers would
 * be more than the facts. What words are numbered by is kept, since rollouts are only ever added; what hangs on findings of the dump, or on
 * other rollouts, is kept for a revision.
 */
export class RolloutColumns {
  private readonly words = new Map<string, GrowingWords>()
  private readonly ofRevision = new Map<string, unknown>()
  private revision = -1
  private lastFacts: readonly TrajectoryFacts[] | null = null
  private read: FactColumns | null = null

  constructor(private readonly rollouts: QueryableRollouts) {}

  /** How many rollouts there are. */
  get size(): number {
    return this.rollouts.facts.length
  }

  get facts(): readonly TrajectoryFacts[] {
    return this.rollouts.facts
  }

  /**
   * To be told before each query; columns that an earlier revision made are let go. Gives the rollouts of before where those of now are
   * not the same and more of them, null else.
   */
  at(revision: number): readonly TrajectoryFacts[] | null {
    const { facts } = this.rollouts
    const before = this.lastFacts
    // A run that is followed is put together anew: what is added stands among what was there.
    if (before !== facts) {
      this.words.clear()
      this.read = null
      this.lastFacts = facts
    }
    if (before !== facts || revision !== this.revision) this.ofRevision.clear()
    this.revision = revision
    return before === facts ? null : before
  }

  private remembered<Column>(key: string, make: () => Column): Column {
    const known = this.ofRevision.get(key)
    if (known !== undefined) return known as Column
    const column = make()
    this.ofRevision.set(key, column)
    return column
  }

  /** Facts of the rollouts from one on; those of before are not asked for again. */
  private factsFrom(from: number): FactColumns {
    const { read } = this
    if (read !== null && read.from === from && read.from + read.length === this.size) return read
    this.read = new FactColumns(this.facts, from)
    return this.read
  }

  /**
   * One number a rollout, NaN where it has none; to be looked at before anything else is sorted by, which may write over them. Throws for a field that
   * is no number.
   */
  number(field: string, component: string | null = null): Float64Array {
    const made = this.madeNumbers(field)
    if (made !== null) return made
    const numbers = roomForNumbers(this.size)
    this.visitNumbers(field, component, (some, at) => numbers.set(some, at))
    return numbers
  }

  /** The same, part by part. */
  visitNumbers(field: string, component: string | null, visit: NumberVisitor): void {
    const made = this.madeNumbers(field)
    if (made !== null) {
      visit(made, 0)
      return
    }
    const read = this.numbersOf(field, component)
    for (const part of this.factsFrom(0).parts()) visit(read(part), part.from)
  }

  /** Whether any rollout has a number. Throws for a field that is no number. */
  hasNumber(field: string): boolean {
    const facts = this.factsFrom(0)
    const needed = NEEDED[field]
    if (needed !== undefined && facts.isEmpty(needed)) return false
    const read = this.numbersOf(field, null)
    for (const part of facts.parts()) if (read(part).some((number) => !Number.isNaN(number))) return true
    return false
  }

  private numbersOf(field: string, component: string | null): (facts: FactColumns) => Float64Array {
    if (component !== null) return (facts) => facts.numbers('rewards', component)
    const limited = LEFT_TO_LIMITS[field]
    if (limited !== undefined) {
      const known = this.rollouts.limits()
      return (facts) => leftToLimits(facts, limited, known)
    }
    const read = NUMBERS[field]
    if (read === undefined) throw new Error(`${field} is no number of a rollout.`)
    return read
  }

  /** Those that no single rollout tells; null for other fields. */
  private madeNumbers(field: string): Float64Array | null {
    if (field === 'findings') return this.findingCounts()
    return field === 'group_size' ? this.groupSizes() : null
  }

  /** The largest number of each rollout, NaN where it has none. Throws for a field that has one at most. */
  largest(field: string): Float64Array {
    const name = listOf(field)
    const all = new Float64Array(this.size)
    for (const part of this.factsFrom(0).parts()) all.set(part.largest(name), part.from)
    return all
  }

  /** 1 for the rollouts of which one number fits. Throws for a field that has one at most. */
  some(field: string, fits: (number: number) => boolean): Uint8Array {
    return this.factsFrom(0).some(listOf(field), fits)
  }

  /** Throws for a field that has no words. */
  word(field: string): WordColumn {
    // How a rollout ended may hang on others.
    if (field === 'end_reason') return this.remembered('end_reason', () => this.endReasons())
    let column = this.words.get(field)
    if (column === undefined) {
      const words = new Words(field === 'id')
      column = { words, at: new GrowingColumn((facts) => this.readWords(facts, field, words)) }
      this.words.set(field, column)
    }
    return { words: column.words, at: column.at.upTo(this.size, (from) => this.factsFrom(from)) }
  }

  private endReasons(): WordColumn {
    const words = new Words(false)
    const at = new Int32Array(this.size)
    this.visitWords({ end_reason: words }, ([numbers], from) => at.set(numbers as Int32Array, from))
    return { words, at }
  }

  /** Numbers that compare as the words of a field do, NaN where there is none; null where that takes their texts. */
  wordRanks(field: string): Float64Array | null {
    if (!Object.hasOwn(WORDS, field)) return null
    const name = WORDS[field as keyof typeof WORDS]
    return templateRanks(this.factsFrom(0), name, (row) => this.facts[row]?.[name] as string)
  }

  /**
   * What readers make of the words of fields, told of part by part: the numbers of the rollouts from `at` on, field by field.
   * Throws for a field that has no words.
   */
  visitWords(
    readers: Readonly<Record<string, WordReader>>,
    visit: (numbers: readonly Int32Array[], at: number) => void,
  ): void {
    for (const { numbers, at } of this.wordsByPart(readers)) visit(numbers, at)
  }

  /** The same for whoever lets others have their turn between parts. */
  *wordsByPart(
    readers: Readonly<Record<string, WordReader>>,
  ): Generator<{ readonly numbers: readonly Int32Array[]; readonly at: number }, void> {
    const fields = Object.entries(readers)
    for (const part of this.factsFrom(0).parts()) {
      yield { numbers: fields.map(([field, reader]) => this.readWords(part, field, reader)), at: part.from }
    }
  }

  private readWords(facts: FactColumns, field: string, reader: WordReader): Int32Array {
    if (field === 'source') return this.readSources(facts, reader)
    if (!Object.hasOwn(WORDS, field)) throw new Error(`${field} is no word of a rollout.`)
    const numbers = facts.words(WORDS[field as keyof typeof WORDS], reader)
    if (field === 'end_reason') this.writeRefuted(numbers, facts.from, reader)
    return numbers
  }

  /** Writes how rollouts ended over what they are said to have done. */
  private writeRefuted(numbers: Int32Array, from: number, reader: WordReader): void {
    const refuted = this.told('refutedStops')
    for (let i = refuted.indexOf(1, from); i >= 0 && i < from + numbers.length; i = refuted.indexOf(1, i + 1))
      numbers[i - from] = reader.numberOf(REFUTED_STOP)
  }

  private readSources(facts: FactColumns, reader: WordReader): Int32Array {
    const known = new Map<number, number>()
    const sources = facts.numbers('place', 'source')
    const numbers = new Int32Array(uncounted(4 * facts.length))
    // Rollouts of one source stand beside each other.
    let [last, number] = [-1, -1]
    for (let i = 0; i < numbers.length; i++) {
      const source = sources[i] as number
      if (source !== last) {
        number = known.get(source) ?? reader.numberOf(this.rollouts.sourceName(source))
        known.set(source, number)
        last = source
      }
      numbers[i] = number
    }
    return numbers
  }

  /** Check codes of each rollout. */
  codes(): CodeColumn {
    return this.remembered('codes', () => {
      const { lists, at } = this.rollouts.codeLists()
      const codes = [...new Set(lists.flat())]
      const numbers = new Map(codes.map((code, number) => [code, number]))
      return { codes, lists: lists.map((list) => list.map((code) => numbers.get(code) as number)), at }
    })
  }

  /** 1 for rollouts of which it is so for what others show. */
  private told(what: keyof ToldByOthers): Uint8Array {
    return this.remembered(what, () => {
      const told = this.rollouts[what]()
      const { facts } = this
      const flags = new Uint8Array(facts.length)
      if (told.size > 0) for (let i = 0; i < flags.length; i++) flags[i] = Number(told.has(facts[i] as TrajectoryFacts))
      return flags
    })
  }

  /** 3 error, 2 warning, 1 info, 0 nothing. */
  worst(): Uint8Array {
    return this.remembered('worst', () => this.rollouts.worstRanks())
  }

  /** 1 where it is so, which may hang on other rollouts. */
  holds(field: string, choice: string): Uint8Array {
    return this.remembered(`${field}:${choice}`, () => {
      const holds = HOLDS[field]?.[choice]
      if (holds === undefined) throw new Error(`${field} is never ${choice}.`)
      const all = new Uint8Array(this.size)
      for (const part of this.factsFrom(0).parts()) {
        const told = (what: keyof ToldByOthers) => () => this.told(what).subarray(part.from, part.from + part.length)
        const ofOthers = {
          beginLater: told('beginLater'),
          openEnds: told('openEnds'),
          refutedStops: told('refutedStops'),
        }
        all.set(holds(part, ofOthers), part.from)
      }
      return all
    })
  }

  /** How many rollouts have each component of a reward. */
  components(): ReadonlyMap<string, number> {
    return this.factsFrom(0).names('rewards')
  }

  /** What is worth keeping until the next revision: the order of all rollouts by a field. */
  kept(key: string, make: () => Int32Array): Int32Array {
    return this.remembered(`kept ${key}`, make)
  }

  private findingCounts(): Float64Array {
    const { lists, at } = this.codes()
    const byList = Uint32Array.from(lists, ({ length }) => length)
    const counts = roomForNumbers(at.length)
    for (let i = 0; i < counts.length; i++) counts[i] = byList[at[i] as number] as number
    return counts
  }

  private groupSizes(): Float64Array {
    const { at } = this.word('group')
    const { counts, stepOf, others } = this.remembered('groups by step', () => this.groupsByStep())
    // A number of each rollout takes the place of its step, which is not looked at again.
    const sizes = this.number('step')
    for (let i = 0; i < sizes.length; i++) {
      const group = at[i] as number
      const step = sizes[i] as number
      if (group < 0) sizes[i] = Number.NaN
      else sizes[i] = (isSameStep(step, stepOf[group]) ? counts[group] : others.get(group)?.get(step)) ?? Number.NaN
    }
    return sizes
  }

  private groupsByStep(): GroupsByStep {
    const { at, words } = this.word('group')
    const steps = this.number('step')
    const counts = new Uint32Array(words.length)
    const stepOf = new Float64Array(words.length)
    const others = new Map<number, Map<number, number>>()
    for (let i = 0; i < at.length; i++) {
      const group = at[i] as number
      if (group < 0) continue
      const step = steps[i] as number
      if (counts[group] === 0) stepOf[group] = step
      if (isSameStep(step, stepOf[group])) counts[group] = (counts[group] as number) + 1
      else {
        let bySteps = others.get(group)
        if (bySteps === undefined) others.set(group, (bySteps = new Map()))
        bySteps.set(step, (bySteps.get(step) ?? 0) + 1)
      }
    }
    return { counts, stepOf, others }
  }
}

/** How many rollouts the groups have, by the number of their key. */
interface GroupsByStep {
  /** In the step that the first rollout of the key has, NaN where it tells none. */
  readonly counts: Uint32Array
  readonly stepOf: Float64Array
  /** A key that comes back in another step is another group, which few dumps have: by key and step. */
  readonly others: ReadonlyMap<number, ReadonlyMap<number, number>>
}

/** Steps that are not known are one. */
function isSameStep(step: number, other: number | undefined): boolean {
  return step === other || (Number.isNaN(step) && Number.isNaN(other))
}

function listOf(field: string): keyof TrajectoryFacts {
  const name = Object.hasOwn(NUMBER_LISTS, field) ? NUMBER_LISTS[field] : undefined
  if (name === undefined) throw new Error(`${field} is no list of numbers.`)
  return name
}

interface GrowingWords {
  readonly words: Words
  readonly at: GrowingColumn
}

/** A column that is made longer as rollouts come. */
class GrowingColumn {
  private values: Int32Array = new Int32Array(0)
  private filled = 0

  constructor(private readonly ofFacts: (facts: FactColumns) => Int32Array) {}

  upTo(size: number, factsFrom: (from: number) => FactColumns): Int32Array {
    if (size > this.filled) {
      const added = this.ofFacts(factsFrom(this.filled))
      if (this.filled === 0) this.values = added
      else {
        if (size > this.values.length) {
          const wider = new Int32Array(Math.max(size, this.filled * 2))
          wider.set(this.values.subarray(0, this.filled))
          this.values = wider
        }
        this.values.set(added, this.filled)
      }
      this.filled = size
    }
    return this.values.subarray(0, size)
  }
}
