/**
 * An archive, or an entry of one, that cannot be read. `message` is sentences for people: where, what and what to do.
 *
 * Codes: `cut-off`, `damaged-zip`, `unsupported-zip` (encrypted, split, an unknown method), `too-large` (a limit of `ZipLimits`).
 */
export class ZipError extends Error {
  readonly code: ZipErrorCode
  /** Byte offset in the archive. */
  readonly at: number
  constructor(code: ZipErrorCode, at: number, what: string) {
    super(`byte ${at}: ${what}. ${ADVICE[code]}`)
    this.name = 'ZipError'
    this.code = code
    this.at = at
  }
}

export type ZipErrorCode = 'cut-off' | 'damaged-zip' | 'unsupported-zip' | 'too-large'

const ADVICE: Readonly<Record<ZipErrorCode, string>> = {
  'cut-off': 'The archive was cut short or is still being written: copy it again.',
  'damaged-zip': 'The archive is damaged: copy or write it again.',
  'unsupported-zip': 'Unpack it, and open what is in it.',
  'too-large': 'If you trust the archive, raise the limit (--max-unpacked), or unpack it and open what is in it.',
}
