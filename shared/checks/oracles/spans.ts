import { kernelWith } from '../../containers/kernel/thread-kernel.ts'
import type { Span } from '../../model/tokens.ts'

// These run over every token of a dump. They take one kind of array, because the engine compiles such a loop well. An end beyond an
// array is taken for its own.

/** Elements from which on it pays to look at several at once. */
const LONG = 64
/** Elements that a run is looked through one by one: most are the few tokens of a header. */
const SHORT = 8

/** The maximal runs of `value` in `array` between `start` and `end`. */
export function runsOf(array: Uint8Array, value: number, start = 0, end = array.length): Span[] {
  const runs: Span[] = []
  const stop = Math.min(end, array.length)
  for (let at = start, to = at; at < stop; at = to) {
    to = runEnd(array, at, stop)
    if (array[at] === value) runs.push({ start: at, end: to })
  }
  return runs
}

/** Where the run that begins at `start` ends: the first index of `[start, until)` with another value than it, `until` where there is none. */
export function runEnd(array: Uint8Array, start: number, until: number): number {
  const end = Math.min(until, array.length)
  const value = array[start] as number
  const near = Math.min(end, start + SHORT)
  let at = start + 1
  while (at < near) if (array[at++] !== value) return at - 1
  if (at >= end) return at
  const kernel = kernelWith(array)
  if (kernel !== null) return kernel.firstOther(array, value, at, end)
  if (end - at >= LONG) {
    while ((array.byteOffset + at) % 4 !== 0) if (array[at++] !== value) return at - 1
    const words = new Uint32Array(array.buffer, array.byteOffset + at, (end - at) >> 2)
    const same = (value * 0x01010101) >>> 0
    let word = 0
    while (word < words.length && words[word] === same) word++
    at += word * 4
  }
  while (at < end && array[at] === value) at++
  return at
}

/** Number of positions in `[start, end)` that hold `value`. */
export function countOf(array: Uint8Array, value: number, start = 0, end = array.length): number {
  if (end - start >= SHORT && start >= 0 && end <= array.length) {
    const kernel = kernelWith(array)
    if (kernel !== null) return kernel.countOf(array, value, start, end)
  }
  let count = 0
  for (let i = start; i < end; i++) if (array[i] === value) count++
  return count
}

/** First index in `[start, until)` at which two arrays differ, `until` where they agree. */
export function firstDifference(a: Uint8Array, b: Uint8Array, start: number, until: number): number {
  const end = Math.min(until, a.length, b.length)
  if (start >= 0 && start < end) {
    const kernel = kernelWith(a)
    if (kernel?.holds(b)) return kernel.firstDifference(a, b, start, end)
  }
  let at = start
  // Four at a time, which the usual case is long enough for.
  while (at < end && (a.byteOffset + at) % 4 !== 0) {
    if (a[at] !== b[at]) return at
    at++
  }
  if (at < end && (b.byteOffset + at) % 4 === 0) {
    const words = (end - at) >> 2
    const first = new Uint32Array(a.buffer, a.byteOffset + at, words)
    const second = new Uint32Array(b.buffer, b.byteOffset + at, words)
    let word = 0
    while (word < words && first[word] === second[word]) word++
    at += word * 4
  }
  while (at < end && a[at] === b[at]) at++
  return at
}

/** The numbers of `[start, end)` as a list, for evidence: through their iterator the engine takes ten times as long. */
export function listOf(array: Int32Array, start: number, end: number): number[] {
  const list: number[] = []
  for (let i = Math.max(0, start); i < end && i < array.length; i++) list.push(array[i] as number)
  return list
}

/** The spans sorted, overlapping and touching ones joined, empty ones dropped. */
export function joined(spans: readonly Span[]): Span[] {
  const sorted = spans.filter(({ start, end }) => end > start)
  // Checks go through a rollout from its start: what they name is in order already.
  if (sorted.some(({ start }, i) => i > 0 && start < (sorted[i - 1] as Span).start)) {
    sorted.sort((a, b) => a.start - b.start)
  }
  const result: { start: number; end: number }[] = []
  for (const { start, end } of sorted) {
    const last = result.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else result.push({ start, end })
  }
  return result
}

export function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { start, end }) => sum + end - start, 0)
}
