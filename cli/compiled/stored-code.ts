import { createHash } from 'node:crypto'

/** Bytes of SHA-256. */
const DIGEST_BYTES = 32

/** Compiled code is for one build of Node: V8 looks at its own version and flags, not at what Node changed in it or what it was built for. */
export const THIS_NODE = [process.version, process.versions.v8, process.platform, process.arch].join()

/** Code that V8 compiled of `source`, as it is kept: behind a digest of it, of its source and of the Node that it is for. */
export function storedCode(code: Buffer, source: Buffer, node = THIS_NODE): Buffer {
  return Buffer.concat([digestOf(code, source, node), code])
}

/**
 * The code in `stored`, as `storedCode` wrote it; null where it is of another source or for another Node, or one byte of it is not as it was: V8 looks at
 * the length of the source alone, and a damaged byte ends the process.
 */
export function codeFrom(stored: Buffer, source: Buffer, node = THIS_NODE): Buffer | null {
  const code = stored.subarray(DIGEST_BYTES)
  return digestOf(code, source, node).equals(stored.subarray(0, DIGEST_BYTES)) ? code : null
}

function digestOf(code: Buffer, source: Buffer, node: string): Buffer {
  return createHash('sha256').update(`${node}\0${source.length}\0`).update(source).update(code).digest()
}
