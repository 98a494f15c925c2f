import type { Hash64 } from '../../model/hash.ts'
import { kernelWith } from './thread-kernel.ts'

/**
 * Index of the first number from `from` on that is at least `bound`, `to` where none is. Both count as numbers of 32 bits without a sign: what is
 * below zero is above all that is not.
 */
export function firstAtLeast(numbers: Int32Array, bound: number, from = 0, to = numbers.length): number {
  const start = Math.max(from, 0)
  const end = Math.min(to, numbers.length)
  if (start >= end) return to
  const found = kernelWith(numbers)?.firstAtLeast(numbers, bound, start, end) ?? scan(numbers, bound, start, end)
  return found === end ? to : found
}

function scan(numbers: Int32Array, bound: number, from: number, to: number): number {
  for (let i = from; i < to; i++) if ((numbers[i] as number) >>> 0 >= bound) return i
  return to
}

/** Index of the first number of `[from, to)` that is `value`, `to` where none is. */
export function firstOfNumber(numbers: Int32Array, value: number, from: number, to: number): number {
  const start = Math.max(from, 0)
  const end = Math.min(to, numbers.length)
  if (start >= end) return to
  const kernel = kernelWith(numbers)
  if (kernel === null) {
    const at = numbers.subarray(start, end).indexOf(value)
    return at < 0 ? to : start + at
  }
  const found = kernel.firstOfNumber(numbers, value, start, end)
  return found === end ? to : found
}

/** A hash (32 bits, with a sign) of the numbers of `[from, to)` that is the same for the same ones in any order. */
export function bagOf(numbers: Int32Array, from: number, to: number): number {
  const kernel = from < to ? kernelWith(numbers) : null
  if (kernel !== null) return kernel.bagOf(numbers, from, to)
  let sum = 0
  for (let i = from; i < to; i++) {
    const mixed = Math.imul((numbers[i] as number) + 1, 0x9e3779b1)
    sum = (sum + Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)) | 0
  }
  return sum
}

/** The hash of all of the numbers, where another thread found it; else null. */
export function hashAhead(numbers: Int32Array): Hash64 | null {
  return kernelWith(numbers)?.hashAhead(numbers) ?? null
}

/** Bytes that are all `value` and stand as long as `beside` does: they lie in the same memory where that is used again. */
export function bytesBeside(beside: Int32Array | Uint8Array, length: number, value = 0): Uint8Array {
  const bytes = kernelWith(beside)?.bytes(length) ?? null
  if (bytes !== null) return fillWith(bytes, value, 0, length)
  return value === 0 ? new Uint8Array(length) : new Uint8Array(length).fill(value)
}

/** Makes the bytes of `[start, end)` `value`, as far as there are such; returns all of them. */
export function fillWith(bytes: Uint8Array, value: number, start: number, end: number): Uint8Array {
  const from = Math.max(start, 0)
  const to = Math.min(end, bytes.length)
  if (from >= to) return bytes
  const kernel = kernelWith(bytes)
  if (kernel === null) return bytes.fill(value, from, to)
  kernel.fill(bytes, value, from, to)
  return bytes
}

/** The same bytes once more, which stand as long as they do. */
export function copyBeside(bytes: Uint8Array): Uint8Array {
  return kernelWith(bytes)?.copied(bytes) ?? new Uint8Array(bytes)
}

/** Numbers that are all 0 or 1 as bytes, which stand as long as they do; null where another is among them. */
export function flagsOf(numbers: Int32Array): Uint8Array | null {
  if (firstAtLeast(numbers, 2) < numbers.length) return null
  return kernelWith(numbers)?.narrowed(numbers) ?? new Uint8Array(numbers)
}
