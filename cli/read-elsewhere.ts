import { closeSync, openSync, readSync } from 'node:fs'

/** What an audit thread needs to know of a file. */
export interface FileElsewhere {
  readonly path: string
}

/** A larger buffer is let go after use, so that one huge record does not hold memory for the rest of a run. */
const KEPT_BYTES = 8 << 20

let buffer = new Uint8Array(2 << 20)

/** Reads a part of a file in an audit thread, which has nothing else to do until it is there. */
export function readElsewhere(source: unknown, start: number, end: number): Uint8Array {
  const { path } = source as FileElsewhere
  const length = end - start
  let own = buffer
  if (length > own.length) {
    own = new Uint8Array(length)
    if (length <= KEPT_BYTES) buffer = own
  }
  const file = openSync(path, 'r')
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
