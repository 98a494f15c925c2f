import { useEffect } from 'react'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'
import { observable, useObservable } from './observable.ts'

/** Rows kept before all are let go; a screen shows some forty. */
const MOST_ROWS = 10_000

/** Rows of a long list, by number, fetched as they come into the window. */
export class Pages<T> {
  private readonly kept = new Map<number, T>()
  private readonly asked = new Set<number>()
  private generation = 0
  readonly arrivals = observable(0)

  /** @param load the rows of these numbers; those that are not there are left out */
  constructor(private readonly load: (numbers: readonly number[]) => Promise<readonly (readonly [number, T])[]>) {}

  get(number: number): T | null {
    return this.kept.get(number) ?? null
  }

  /** How many of these are not here. */
  missing(numbers: Iterable<number>): number {
    let missing = 0
    for (const number of numbers) if (!this.kept.has(number)) missing++
    return missing
  }

  clear(): void {
    this.kept.clear()
    this.asked.clear()
    this.generation++
    this.arrivals.set(this.arrivals.get() + 1)
  }

  async want(numbers: readonly number[]): Promise<void> {
    const missing = numbers.filter((number) => !this.kept.has(number) && !this.asked.has(number))
    if (missing.length === 0) return
    for (const number of missing) this.asked.add(number)
    const { generation } = this
    try {
      const rows = await this.load(missing)
      if (generation !== this.generation) return
      if (this.kept.size + rows.length > MOST_ROWS) this.kept.clear()
      for (const [number, row] of rows) {
        this.kept.set(number, row)
        // What did not come is not there, and is not asked for again.
        this.asked.delete(number)
      }
    } catch (error) {
      if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
    } finally {
      if (generation === this.generation) this.arrivals.set(this.arrivals.get() + 1)
    }
  }
}

/** Asks for these rows and draws again when any arrive; read them with `get`. */
export function usePages<T>(pages: Pages<T>, numbers: readonly number[]): void {
  const arrived = useObservable(pages.arrivals)
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that were let go are asked for again on each arrival
  useEffect(() => {
    void pages.want(numbers)
  }, [pages, numbers, arrived])
}
