import { INPUT_BYTES, Kernel } from './kernel.ts'

/** Undefined until somebody asks for its memory. */
let kernel: Kernel | null | undefined

/**
 * Memory for `length` bytes of records that this thread reads next, from which they are scanned fastest; null where there is none, or not so much of it.
 * What was read to it before is gone.
 */
export function kernelInput(length: number): Uint8Array<ArrayBuffer> | null {
  if (length > INPUT_BYTES) return null
  if (kernel === undefined) kernel = Kernel.create()
  return kernel === null ? null : kernel.input.subarray(0, length)
}

/** The same bytes where they are scanned fastest, until others are read or moved there; `bytes` themselves where that cannot be. */
export function inKernel(bytes: Uint8Array): Uint8Array {
  if (kernelOver(bytes) !== null) return bytes
  const input = kernelInput(bytes.length)
  if (input === null) return bytes
  input.set(bytes)
  return input
}

/** The kernel in whose memory `bytes` lie, from its start on; null where they lie elsewhere. */
export function kernelOver(bytes: Uint8Array): Kernel | null {
  return kernel?.isAt(bytes) ? kernel : null
}

/** The kernel of this thread; null where it has none yet. */
export function threadKernel(): Kernel | null {
  return kernel ?? null
}

/** The kernel of this thread is from now on one over memory that others have too; null where it cannot be. */
export function shareKernel(memory: WebAssembly.Memory): Kernel | null {
  const shared = Kernel.create(memory)
  if (shared !== null) {
    kernel = shared
    forget()
  }
  return shared
}

/** Does something at once with records in the memory of another kernel, which is that of this thread meanwhile. */
export function usingKernel<Result>(other: Kernel, work: () => Result): Result {
  const own = kernel
  kernel = other
  forget()
  try {
    return work()
  } finally {
    kernel = own
    forget()
  }
}

/** Nothing is read into the memory of this thread's kernel any more: the next who asks for one gets another. */
export function leaveKernel(): void {
  kernel = undefined
  forget()
}

/** The arrays that were last found to be in the kernel's memory: a rollout has a few, of which one is asked thousands of times. */
let held: Int32Array | Uint8Array | null = null
let heldBefore: Int32Array | Uint8Array | null = null

function forget(): void {
  held = null
  heldBefore = null
}

/** The kernel in whose memory the elements of an array are; null where they are elsewhere. */
export function kernelWith(array: Int32Array | Uint8Array): Kernel | null {
  // To ask an array for its buffer leaves compiled code.
  if (array === held || array === heldBefore) return kernel as Kernel
  if (!kernel?.holds(array)) return null
  heldBefore = held
  held = array
  return kernel
}
