/** Bytes of a file, `start` inclusive, `end` exclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Reads a `Range` header (RFC 9110, 14.2) against a file of `size` bytes. Null = the whole file: no header, another unit,
 * a malformed one, or several ranges, all of which a server may ignore. `unsatisfiable` = answer 416.
 */
export function parseRange(header: string | null, size: number): ByteRange | 'unsatisfiable' | null {
  const match = header?.match(/^bytes=(\d*)-(\d*)$/i)
  if (!match) return null
  const [, first, last] = match as unknown as [string, string, string]
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}
