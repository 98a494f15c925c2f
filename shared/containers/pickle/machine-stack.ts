import type { BuildContext } from './context.ts'
import type { PickleError } from './error.ts'
import type { PyValue } from './values.ts'

/** What a pickle's operations take from and leave behind: values, marks among them, and values that were memoised. */
export class MachineStack {
  readonly values: PyValue[] = []
  readonly marks: number[] = []
  /** What was memoised under 0, 1, 2, …; others lie in `sparse`. */
  private readonly memo: PyValue[] = []
  private readonly sparse = new Map<number, PyValue>()

  constructor(private readonly context: BuildContext) {}

  /** Where the values begin that belong to the last mark. */
  floor(): number {
    return this.marks[this.marks.length - 1] ?? 0
  }

  /** The last value behind the last mark; throws where there is none, as all that take values do. */
  top(): PyValue {
    const { values } = this
    if (values.length <= this.floor()) throw this.underflow()
    return values[values.length - 1] as PyValue
  }

  pop(): PyValue {
    const value = this.top()
    this.values.pop()
    return value
  }

  /** The values behind the last mark, which goes with them. */
  popMark(): PyValue[] {
    const start = this.marks.pop()
    if (start === undefined) throw this.underflow()
    return this.values.splice(start)
  }

  /** How many values are memoised. */
  get memoised(): number {
    return this.memo.length + this.sparse.size
  }

  memoise(index: number): void {
    const value = this.top()
    if (index < this.memo.length) this.memo[index] = value
    else if (index === this.memo.length && this.sparse.size === 0) this.memo.push(value)
    else {
      this.context.budget.charge(64, this.context.at)
      if (this.sparse.size >= 2 ** 24 - 1)
        throw this.context.error('too-large', 'too many values are memoised out of order')
      this.sparse.set(index, value)
    }
  }

  recall(index: number): PyValue {
    const value = index < this.memo.length ? this.memo[index] : this.sparse.get(index)
    if (value === undefined)
      throw this.context.error('bad-pickle', `value ${index} is asked for, which was never memoised`)
    return value
  }

  private underflow(): PickleError {
    return this.context.error('bad-pickle', 'a value is taken from where there is none')
  }
}
