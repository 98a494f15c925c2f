import { type Hit, NO_HIT } from './probe.ts'
import { Verdict } from './verdicts.ts'

const NOT_LOOKED = -2

/** What one probe found in each rollout so far, in columns that grow with them. */
export class ProbeAnswers {
  private counts = new Int32Array(0)
  private starts = new Int32Array(0)
  private ends = new Int32Array(0)
  private messages = new Int32Array(0)

  grow(size: number): void {
    const { length } = this.counts
    if (size <= length) return
    const room = Math.max(size, length * 2)
    const widened = (values: Int32Array) => {
      const wider = new Int32Array(room).fill(NOT_LOOKED, length)
      wider.set(values)
      return wider
    }
    this.counts = widened(this.counts)
    this.starts = widened(this.starts)
    this.ends = widened(this.ends)
    this.messages = widened(this.messages)
  }

  /** The same answers for rollouts that now stand elsewhere: by old index, the new ones. What is not among them was not looked into. */
  moved(places: ReadonlyMap<number, readonly number[]>, size: number): ProbeAnswers {
    const answers = new ProbeAnswers()
    answers.grow(size)
    for (const [before, now] of places) {
      if (!this.isKnown(before)) continue
      for (const index of now) {
        answers.counts[index] = this.counts[before] as number
        answers.starts[index] = this.starts[before] as number
        answers.ends[index] = this.ends[before] as number
        answers.messages[index] = this.messages[before] as number
      }
    }
    return answers
  }

  isKnown(index: number): boolean {
    return (this.counts[index] ?? NOT_LOOKED) !== NOT_LOOKED
  }

  /** `count` -1: the rollout could not be read again, so that nothing is found in it. */
  set(index: number, { count, start, end, message }: Hit): void {
    this.counts[index] = count
    this.starts[index] = start
    this.ends[index] = end
    this.messages[index] = message
  }

  hit(index: number): Hit {
    const count = this.counts[index] as number
    if (count <= 0) return NO_HIT
    return {
      count,
      start: this.starts[index] as number,
      end: this.ends[index] as number,
      message: this.messages[index] as number,
    }
  }

  /** A `Verdict` for each of the first `size` rollouts. */
  verdicts(size: number): Uint8Array {
    const verdicts = new Uint8Array(size)
    for (let i = 0; i < size; i++) {
      const count = this.counts[i] as number
      verdicts[i] = count === NOT_LOOKED ? Verdict.open : count > 0 ? Verdict.yes : Verdict.no
    }
    return verdicts
  }

  /** Rollouts among the first `size` that could not be read again. */
  unreadable(size: number): number {
    let count = 0
    for (let i = 0; i < size; i++) if (this.counts[i] === -1) count++
    return count
  }
}
