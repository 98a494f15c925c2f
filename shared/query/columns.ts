import type { TrajectoryFacts } from '../checks/facts.ts'
import { HOLDS, NUMBER_LISTS, NUMBERS, type QueryableRollouts, WORDS } from './values.ts'

/** Words of all rollouts: each different word once (of ids, one for each rollout), and by rollout its index among them, -1 where there is none. */
export interface WordColumn {
  readonly words: readonly string[]
  readonly at: Int32Array
}

/** Several values a rollout: those of rollout i are `values[offsets[i]]` to `values[offsets[i + 1]]`, exclusive. */
export interface ListColumn<Values> {
  readonly offsets: Uint32Array
  readonly values: Values
}

export interface CodeColumn extends ListColumn<Uint16Array> {
  /** By the number that stands for it. */
  readonly codes: readonly string[]
}

/**
 * What queries compare, one typed array for each field that was asked for. Rollouts are only ever added, so what stands in their
 * facts is read once; what hangs on findings of the dump, or on other rollouts, is made again for each revision.
 */
export class RolloutColumns {
  private readonly numbers = new Map<string, GrowingNumbers>()
  private readonly words = new Map<string, GrowingWords>()
  private readonly ofRevision = new Map<string, unknown>()
  private revision = -1
  private lastFacts: readonly TrajectoryFacts[] | null = null

  constructor(private readonly rollouts: QueryableRollouts) {}

  /** How many rollouts there are. */
  get size(): number {
    return this.rollouts.facts.length
  }

  get facts(): readonly TrajectoryFacts[] {
    return this.rollouts.facts
  }

  codesOf(index: number): readonly string[] {
    return this.rollouts.codesOf(index)
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
      this.numbers.clear()
      this.words.clear()
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

  /** One number a rollout, NaN where it has none. Throws for a field that is no number. */
  number(field: string, component: string | null = null): Float64Array {
    if (field === 'findings') return this.findingCounts()
    if (field === 'group_size') return this.groupSizes()
    const key = component === null ? field : `${field}.${component}`
    let column = this.numbers.get(key)
    if (column === undefined) {
      const numberFrom = component === null ? NUMBERS[field] : componentOf(component)
      if (numberFrom === undefined) throw new Error(`${field} is no number of a rollout.`)
      column = new GrowingNumbers(numberFrom)
      this.numbers.set(key, column)
    }
    return column.upTo(this.facts)
  }

  /** All numbers of each rollout. Throws for a field that has one at most. */
  list(field: string): ListColumn<Float64Array> {
    return this.remembered(`list ${field}`, () => {
      const valuesOf = NUMBER_LISTS[field]
      if (valuesOf === undefined) throw new Error(`${field} is no list of numbers.`)
      const offsets = new Uint32Array(this.size + 1)
      for (let i = 0; i < this.size; i++) {
        offsets[i + 1] = (offsets[i] as number) + valuesOf(this.facts[i] as TrajectoryFacts).length
      }
      const values = new Float64Array(offsets[this.size] as number)
      for (let i = 0; i < this.size; i++) values.set(valuesOf(this.facts[i] as TrajectoryFacts), offsets[i])
      return { offsets, values }
    })
  }

  /** Throws for a field that has no words. */
  word(field: string): WordColumn {
    let column = this.words.get(field)
    if (column === undefined) {
      const wordOf = field === 'source' ? this.sourceOf : WORDS[field]
      if (wordOf === undefined) throw new Error(`${field} is no word of a rollout.`)
      column = new GrowingWords(wordOf, field === 'id')
      this.words.set(field, column)
    }
    return column.upTo(this.facts)
  }

  private readonly sourceOf = ({ place }: TrajectoryFacts) => this.rollouts.sourceName(place.source)

  /** Check codes of each rollout. */
  codes(): CodeColumn {
    return this.remembered('codes', () => {
      const codes: string[] = []
      const numbers = new Map<string, number>()
      const offsets = new Uint32Array(this.size + 1)
      let values = new Uint16Array(Math.max(64, this.size))
      let used = 0
      for (let i = 0; i < this.size; i++) {
        for (const code of this.rollouts.codesOf(i)) {
          let number = numbers.get(code)
          if (number === undefined) {
            number = codes.push(code) - 1
            numbers.set(code, number)
          }
          if (used === values.length) values = widened(values, new Uint16Array(used * 2))
          values[used++] = number
        }
        offsets[i + 1] = used
      }
      return { codes, offsets, values: values.subarray(0, used) }
    })
  }

  /** 3 error, 2 warning, 1 info, 0 nothing. */
  worst(): Uint8Array {
    return this.remembered('worst', () => {
      const worst = new Uint8Array(this.size)
      for (let i = 0; i < this.size; i++) {
        const severity = this.rollouts.worstOf(i)
        worst[i] = severity === null ? 0 : SEVERITY_RANKS.indexOf(severity)
      }
      return worst
    })
  }

  /** 1 where it is so. `C01` may make it so, so that it hangs on findings. */
  holds(field: string, choice: string): Uint8Array {
    return this.remembered(`${field}:${choice}`, () => {
      const holds = HOLDS[field]?.[choice]
      if (holds === undefined) throw new Error(`${field} is never ${choice}.`)
      const column = new Uint8Array(this.size)
      for (let i = 0; i < this.size; i++) {
        if (holds(this.facts[i] as TrajectoryFacts, field === 'lost' ? this.codesOf(i) : [])) column[i] = 1
      }
      return column
    })
  }

  /** What is worth keeping until the next revision: the order of all rollouts by a field. */
  kept(key: string, make: () => Int32Array): Int32Array {
    return this.remembered(`kept ${key}`, make)
  }

  private findingCounts(): Float64Array {
    return this.remembered('findings', () => {
      const { offsets } = this.codes()
      const counts = new Float64Array(this.size)
      for (let i = 0; i < counts.length; i++) counts[i] = (offsets[i + 1] as number) - (offsets[i] as number)
      return counts
    })
  }

  private groupSizes(): Float64Array {
    return this.remembered('group_size', () => {
      const { at, words } = this.word('group')
      const steps = this.number('step')
      const sizes = new Map<number, Map<number, number>>()
      const sizesAt = (step: number) => {
        let found = sizes.get(step)
        if (found === undefined) sizes.set(step, (found = new Map()))
        return found
      }
      // Steps that are not known are one.
      const stepOf = (i: number) => (Number.isNaN(steps[i]) ? Number.NEGATIVE_INFINITY : (steps[i] as number))
      for (let i = 0; i < this.size; i++) {
        const group = at[i] as number
        const counts = sizesAt(stepOf(i))
        if (group >= 0) counts.set(group, (counts.get(group) ?? 0) + 1)
      }
      return Float64Array.from({ length: this.size }, (_, i) =>
        words[at[i] as number] === undefined ? Number.NaN : (sizesAt(stepOf(i)).get(at[i] as number) ?? Number.NaN),
      )
    })
  }
}

/** By the number that `RolloutColumns.worst` gives. */
export const SEVERITY_RANKS: readonly string[] = ['none', 'info', 'warning', 'error']

function componentOf(name: string): (row: TrajectoryFacts) => number | null {
  return ({ rewards }) => (rewards !== null && Object.hasOwn(rewards, name) ? (rewards[name] as number) : null)
}

function widened<Values extends Float64Array | Int32Array | Uint16Array>(values: Values, wider: Values): Values {
  wider.set(values)
  return wider
}

class GrowingNumbers {
  private values = new Float64Array(0)
  private filled = 0

  constructor(private readonly numberFrom: (row: TrajectoryFacts, index: number) => number | null) {}

  upTo(facts: readonly TrajectoryFacts[]): Float64Array {
    const { length } = facts
    if (length > this.values.length) {
      this.values = widened(this.values, new Float64Array(Math.max(length, this.filled * 2)))
    }
    for (let i = this.filled; i < length; i++) {
      this.values[i] = this.numberFrom(facts[i] as TrajectoryFacts, i) ?? Number.NaN
    }
    this.filled = length
    return this.values.subarray(0, length)
  }
}

class GrowingWords {
  private at = new Int32Array(0)
  private filled = 0
  private readonly words: string[] = []
  private readonly numbers = new Map<string, number>()

  /** `areUnique`: no two rollouts are expected to share a word, so that looking for one is in vain. */
  constructor(
    private readonly wordFrom: (row: TrajectoryFacts) => string | null,
    private readonly areUnique: boolean,
  ) {}

  upTo(facts: readonly TrajectoryFacts[]): WordColumn {
    const { length } = facts
    if (length > this.at.length) this.at = widened(this.at, new Int32Array(Math.max(length, this.filled * 2)))
    for (let i = this.filled; i < length; i++) this.at[i] = this.numberOf(this.wordFrom(facts[i] as TrajectoryFacts))
    this.filled = length
    return { words: this.words, at: this.at.subarray(0, length) }
  }

  private last: string | null = null
  private lastNumber = -1

  private numberOf(word: string | null): number {
    if (word === null) return -1
    if (this.areUnique) return this.words.push(word) - 1
    // Members of a group mostly stand beside each other.
    if (word === this.last) return this.lastNumber
    let number = this.numbers.get(word)
    if (number === undefined) {
      number = this.words.push(word) - 1
      this.numbers.set(word, number)
    }
    this.last = word
    this.lastNumber = number
    return number
  }
}
