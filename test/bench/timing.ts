/** Repeats of each measurement; the sides of a ratio take turns, so that noise of the machine meets all. */
const REPEATS = 5

/** Times of each piece of work in milliseconds, after one run of each that is not counted. */
export async function interleaved(work: readonly (() => Promise<void>)[]): Promise<number[][]> {
  const times: number[][] = work.map(() => [])
  for (const run of work) await run()
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (const [index, run] of work.entries()) {
      const start = performance.now()
      await run()
      times[index]?.push(performance.now() - start)
    }
  }
  return times
}

/** A line with the median and, where there is something to hold it against, the ratio of the medians. */
export function print(what: string, times: readonly number[] | undefined, against?: readonly number[]): void {
  const own = median(times ?? [])
  const ratio = against === undefined ? '' : `  ${(own / median(against)).toFixed(2)} ×`
  console.log(`${what.padEnd(58)} ${own.toFixed(1).padStart(8)} ms${ratio}`)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
