import { readFileSync } from 'node:fs'
import { platform } from 'node:os'

/** Repeats of each measurement; the sides of a ratio take turns, so that noise of the machine meets all. */
const REPEATS = 5

/** How long something takes, in milliseconds. */
type Clock = (work: () => Promise<void>) => Promise<number>

async function wallTime(work: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** That of the whole process, collecting garbage and compiling included: other work on the machine counts little. */
export async function processorTime(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** That of the calling thread alone, where the system tells: what somebody waits for whom nothing else holds up. Else that of the process. */
export async function threadTime(work: () => Promise<void>): Promise<number> {
  const before = millisecondsOfThread()
  await work()
  return millisecondsOfThread() - before
}

/** How long this thread has run by now. */
export function millisecondsOfThread(): number {
  if (platform() === 'linux') return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Times of each piece of work in milliseconds, after one run of each that is not counted. */
export async function interleaved(
  work: readonly (() => Promise<void>)[],
  clock: Clock = wallTime,
): Promise<number[][]> {
  const times: number[][] = work.map(() => [])
  for (const run of work) await run()
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (const [index, run] of work.entries()) times[index]?.push(await clock(run))
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
