import { kernelWith } from './kernel.ts'

/**
 * Index of the first number from `from` on that is at least `bound`, `to` where none is. Both count as numbers of 32 bits without a sign: what is
 * below zero is above all that is not.
 */
export function firstAtLeast(numbers: Int32Array, bound: number, from = 0, to = numbers.length): number {
  const kernel = from < to ? kernelWith(numbers) : null
  if (kernel !== null) return kernel.firstAtLeast(numbers, bound, from, to)
  for (let i = from; i < to; i++) if ((numbers[i] as number) >>> 0 >= bound) return i
  return Math.max(from, to)
}

/** Zeros that stand as long as `numbers` do, beside which they lie where these are in memory that is used again. */
export function bytesBeside(numbers: Int32Array | null, length: number): Uint8Array {
  const bytes = numbers === null ? null : (kernelWith(numbers)?.bytes(length) ?? null)
  return bytes === null ? new Uint8Array(length) : bytes.fill(0)
}

/** Numbers that are all 0 or 1 as bytes, which stand as long as they do; null where another is among them. */
export function flagsOf(numbers: Int32Array): Uint8Array | null {
  if (firstAtLeast(numbers, 2) < numbers.length) return null
  return kernelWith(numbers)?.narrowed(numbers) ?? Uint8Array.from(numbers)
}
