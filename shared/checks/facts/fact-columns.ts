import { uncounted } from '../../model/uncounted-memory.ts'
import type { TrajectoryFacts } from './facts.ts'
import { columnOfRun, type FactRun, factRuns, partOfRun } from './kept-facts.ts'
import { looseValues } from './loose-values.ts'
import { type Column, KIND } from './packed-columns.ts'
import {
  countNames,
  type Digests,
  fillDigests,
  fillLargest,
  fillNumbers,
  fillPresence,
  fillSome,
  fillValues,
  hasSome,
  type ListReceiver,
  largestOf,
  NumberTest,
  numberIn,
  type Path,
  type Rows,
  valueIn,
  visitLists,
  visitPieces,
  writeDigest,
} from './read-columns.ts'

type FactName = keyof TrajectoryFacts

/** Numbers of each rollout: those of rollout i are `values[offsets[i]]` to `values[offsets[i + 1]]`, exclusive. */
export interface NumberLists {
  readonly offsets: Uint32Array
  readonly values: Float64Array
}

/** Gives each word a number, -1 to what is none. */
export interface WordReader {
  /** Writes those of a column into `into` from `at` on. */
  read(column: Column, rows: Rows, into: Int32Array, at: number): void
  numberOf(word: unknown): number
}

/** Rollouts of a part: their numbers stay in the processor's nearest memory. */
const ROWS_OF_A_PART = 1 << 13

/**
 * The facts of many rollouts, fact by fact: where a batch keeps them in columns each is read in one go, which takes some nanoseconds
 * a rollout, where asking every rollout takes a hundred. All arrays have an entry for each rollout.
 */
export class FactColumns {
  readonly length: number
  private readonly runs: readonly FactRun[]

  /** Of the rollouts from `from` on. */
  constructor(
    private readonly facts: readonly TrajectoryFacts[],
    readonly from = 0,
    private readonly part: { readonly runs: readonly FactRun[]; readonly room: Room } | null = null,
  ) {
    this.runs = part?.runs ?? factRuns(facts, from)
    this.length = this.runs.reduce((sum, { length }) => sum + length, 0)
  }

  /**
   * All of them, so many at a time. Numbers and words of a part are written over by those of the next one: for what looks at each once,
   * which is spared arrays as long as the dump, and the collector's work with them.
   */
  *parts(rows = ROWS_OF_A_PART): Generator<FactColumns, void> {
    const room = new Room()
    let runs: FactRun[] = []
    let [from, left] = [this.from, rows]
    for (const run of this.runs) {
      const end = run.start + run.length
      for (let start = run.start; start < end; ) {
        // What is not much more is not cut: the texts of a column are looked up once for each part of it.
        const to = end - start <= left + rows ? end : start + left
        runs.push(partOfRun(run, start, to))
        left -= to - start
        start = to
        if (left > 0) continue
        room.clear()
        yield new FactColumns(this.facts, from, { runs, room })
        ;[runs, from, left] = [[], start, rows]
      }
    }
    room.clear()
    if (runs.length > 0) yield new FactColumns(this.facts, from, { runs, room })
  }

  /** A number of each rollout, NaN where it has none. `path` leads into facts that are objects or lists. */
  numbers(name: FactName, ...path: Path): Float64Array {
    const numbers = this.part?.room.numbers(this.length) ?? new Float64Array(this.length)
    this.visit(
      name,
      (column, rows, at) => fillNumbers(column, path, rows, numbers, at),
      (value, at) => {
        numbers[at] = numberIn(value, path)
      },
    )
    return numbers
  }

  /** No rollout has the fact. */
  isEmpty(name: FactName): boolean {
    let isEmpty = true
    this.visit(
      name,
      (column) => {
        if (column.kind !== KIND.same || (column.values !== null && column.values !== undefined)) isEmpty = false
      },
      (value) => {
        if (value !== null && value !== undefined) isEmpty = false
      },
    )
    return isEmpty
  }

  /** 1 where the fact is neither null nor absent. */
  present(name: FactName): Uint8Array {
    const present = new Uint8Array(this.length)
    this.visit(
      name,
      (column, rows, at) => fillPresence(column, rows, present, at),
      (value, at) => {
        present[at] = Number(value !== null && value !== undefined)
      },
    )
    return present
  }

  /** The rollouts that have the fact, in order. */
  having(name: FactName): TrajectoryFacts[] {
    if (this.isEmpty(name)) return []
    const present = this.present(name)
    const having: TrajectoryFacts[] = []
    for (let i = present.indexOf(1); i >= 0; i = present.indexOf(1, i + 1))
      having.push(this.facts[this.from + i] as TrajectoryFacts)
    return having
  }

  /** 1 where this holds of the fact. */
  holds<Name extends FactName>(name: Name, holds: (value: TrajectoryFacts[Name]) => boolean): Uint8Array {
    return this.fill(name, (value) => (holds(value) ? 1 : 0), new Uint8Array(this.length))
  }

  /** The number that stands for the fact of each rollout. `numberOf` is asked as seldom as columns allow, in the order of rollouts. */
  numbered<Name extends FactName>(name: Name, numberOf: (value: TrajectoryFacts[Name]) => number): Int32Array {
    return this.fill(name, numberOf, new Int32Array(this.length))
  }

  /** The number that a reader gives to the word of each rollout. */
  words(name: FactName, reader: WordReader): Int32Array {
    const numbers = this.part?.room.words(this.length) ?? new Int32Array(uncounted(4 * this.length))
    this.visit(
      name,
      (column, rows, at) => reader.read(column, rows, numbers, at),
      (value, at) => {
        numbers[at] = reader.numberOf(value)
      },
    )
    return numbers
  }

  private fill<Name extends FactName, Values extends Int32Array | Uint8Array>(
    name: Name,
    numberOf: (value: TrajectoryFacts[Name]) => number,
    into: Values,
  ): Values {
    const given = numberOf as (value: unknown) => number
    this.visit(
      name,
      (column, rows, at) => fillValues(column, rows, given, into, at),
      (value, at) => {
        into[at] = given(value)
      },
    )
    return into
  }

  /** All numbers of a fact that is a list of them. */
  lists(name: FactName): NumberLists {
    const offsets = new Uint32Array(this.length + 1)
    let values = new Float64Array(this.length)
    let [at, used] = [0, 0]
    const receive: ListReceiver = (numbers, start, end) => {
      if (used + end - start > values.length) {
        const wider = new Float64Array(2 * values.length + end - start)
        wider.set(values)
        values = wider
      }
      for (let i = start; i < end; i++) values[used++] = numbers[i] as number
      offsets[++at] = used
    }
    this.visitNumbers(name, receive)
    return { offsets, values: values.subarray(0, used) }
  }

  private visitNumbers(name: FactName, receive: ListReceiver): void {
    this.visit(
      name,
      (column, rows) => visitLists(column, rows, receive),
      (value) => {
        const numbers = (value ?? []) as readonly number[]
        receive(numbers, 0, numbers.length)
      },
    )
  }

  /** The sum of a fact that is a list of numbers, 0 where there is none. */
  sums(name: FactName): Float64Array {
    const sums = new Float64Array(this.length)
    let row = 0
    const receive: ListReceiver = (numbers, start, end) => {
      let sum = 0
      for (let i = start; i < end; i++) sum += numbers[i] as number
      sums[row++] = sum
    }
    this.visitNumbers(name, receive)
    return sums
  }

  /** A fact that is 16 hex digits, or what a path leads to in it: the first eight and the last, 0 where there is none. Any other text stands as its hash. */
  digests(name: FactName, ...path: Path): Digests {
    const digests: Digests = [new Uint32Array(this.length), new Uint32Array(this.length)]
    this.visit(
      name,
      (column, rows, at) => fillDigests(column, path, rows, digests, at),
      (value, at) => writeDigest(valueIn(value, path), digests, at),
    )
    return digests
  }

  /** The largest number of a fact that is a list of them, NaN where there is none. */
  largest(name: FactName): Float64Array {
    const largest = this.part?.room.numbers(this.length) ?? new Float64Array(this.length)
    this.visit(
      name,
      (column, rows, at) => fillLargest(column, rows, largest, at),
      (value, at) => {
        largest[at] = largestOf(value)
      },
    )
    return largest
  }

  /** 1 where one number fits of a fact that is a list of them. */
  some(name: FactName, fits: (number: number) => boolean): Uint8Array {
    const some = new Uint8Array(this.length)
    const test = new NumberTest(fits)
    this.visit(
      name,
      (column, rows, at) => fillSome(column, rows, test, some, at),
      (value, at) => {
        some[at] = Number(hasSome(value, fits))
      },
    )
    return some
  }

  /** How many rollouts have each name, of a fact that is an object. */
  names(name: FactName): Map<string, number> {
    const counts = new Map<string, number>()
    const add = (each: string, rows: number) => counts.set(each, (counts.get(each) ?? 0) + rows)
    this.visit(
      name,
      (column, rows) => countNames(column, rows, add),
      (value) => {
        for (const each of Object.keys((value ?? {}) as object)) add(each, 1)
      },
    )
    return counts
  }

  /** Calls one for the rows of each column in which facts are kept, the other for each rollout that is an object of its own; in order. */
  visit(
    name: FactName,
    ofRows: (column: Column, rows: Rows, at: number) => void,
    ofOne: (value: unknown, at: number) => void,
  ): void {
    let at = 0
    for (const run of this.runs) {
      const { length } = run
      const column = columnOfRun(run, name)
      if (column !== null) visitPieces(column, { row: run.row, length }, at, ofRows)
      else {
        const values = looseValues(this.facts, name, this.from + at, length)
        for (let i = 0; i < length; i++) ofOne(values[i], at + i)
      }
      at += length
    }
  }
}

/** Arrays that the parts of a dump are read into, one part after the other. */
class Room {
  private readonly ofNumbers: Float64Array[] = []
  private readonly ofWords: Int32Array[] = []
  private numbersTaken = 0
  private wordsTaken = 0

  clear(): void {
    this.numbersTaken = 0
    this.wordsTaken = 0
  }

  numbers(length: number): Float64Array {
    const at = this.numbersTaken++
    if ((this.ofNumbers[at]?.length ?? 0) < length) this.ofNumbers[at] = new Float64Array(length)
    return (this.ofNumbers[at] as Float64Array).subarray(0, length)
  }

  words(length: number): Int32Array {
    const at = this.wordsTaken++
    if ((this.ofWords[at]?.length ?? 0) < length) this.ofWords[at] = new Int32Array(length)
    return (this.ofWords[at] as Int32Array).subarray(0, length)
  }
}
