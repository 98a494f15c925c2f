/**
 * A pickle, or a tensor in one, that cannot be read. `message` is for people: it says where, what and what to do.
 *
 * Codes: `cut-off` (bytes are missing), `bad-pickle` (the bytes make no sense), `unsupported-pickle` (they make sense, this reader
 * does not follow them), `too-large` (a limit of `PickleLimits`).
 */
export class PickleError extends Error {
  readonly code: PickleErrorCode
  /** Byte offset in the pickle, of the operation that could not be followed; -1 where it has no single place. */
  readonly at: number
  private readonly what: string
  private readonly where: string

  constructor(code: PickleErrorCode, at: number, what: string, where = '') {
    super(`${where}${at < 0 ? '' : `byte ${at}: `}${what}. ${ADVICE[code]}`)
    this.name = 'PickleError'
    this.code = code
    this.at = at
    this.what = what
    this.where = where
  }

  /** The same error, with the file or part that it happened in before its place. */
  within(where: string): PickleError {
    return new PickleError(this.code, this.at, this.what, where + this.where)
  }
}

export type PickleErrorCode = 'cut-off' | 'bad-pickle' | 'unsupported-pickle' | 'too-large'

const ADVICE: Readonly<Record<PickleErrorCode, string>> = {
  'cut-off': 'The file was cut short: copy or write it again.',
  'bad-pickle': 'The file is damaged or no pickle: copy or write it again.',
  'unsupported-pickle': 'Load it in Python and write it with plain pickle.dump or torch.save.',
  'too-large': 'Have the trainer write smaller files, or load it in Python and write the rollouts as JSONL.',
}
