/** What is wrong with a piece of JSON, and where; `at` is a byte offset into the buffer that was read. */
export class JsonError extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.name = 'JsonError'
    this.at = at
  }
}

/** The byte at `at` as a person would write it down: `"}"`, `byte 0x00`, `the end`. */
export function describeByte(bytes: Uint8Array, at: number, end: number): string {
  if (at >= end) return 'the end'
  const byte = bytes[at] as number
  return byte > 0x20 && byte < 0x7f ? `"${String.fromCharCode(byte)}"` : `byte 0x${byte.toString(16).padStart(2, '0')}`
}
