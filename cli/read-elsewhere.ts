import { closeSync, openSync, readSync } from 'node:fs'
import { kernelInput } from '../shared/containers/kernel/thread-kernel.ts'
import { readFailed, WITHOUT_WAITING } from './byte-sources.ts'

/** What an audit thread needs to know of a file. */
export interface FileElsewhere {
  readonly path: string
  readonly name: string
}

/** A larger buffer is let go after use, so that one huge record does not hold memory for the rest of a run. */
const KEPT_BYTES = 8 << 20

let buffer = new Uint8Array(0)

/** Reads a part of a file in an audit thread, which has nothing else to do until it is there. */
export function readElsewhere(source: unknown, start: number, end: number): Uint8Array {
  const { path, name } = source as FileElsewhere
  const length = end - start
  const own = kernelInput(length) ?? ownBuffer(length)
  const file = openedAgain(path, name)
  try {
    let filled = 0
    while (filled < length) {
      const read = readSync(file, own, filled, length - filled, start + filled)
      if (read === 0) break
      filled += read
    }
    return own.subarray(0, filled)
  } finally {
    closeSync(file)
  }
}

function openedAgain(path: string, name: string): number {
  try {
    return openSync(path, WITHOUT_WAITING)
  } catch (error) {
    throw readFailed(name, error)
  }
}

function ownBuffer(length: number): Uint8Array {
  if (length <= buffer.length) return buffer
  const larger = new Uint8Array(length)
  if (length <= KEPT_BYTES) buffer = larger
  return larger
}
