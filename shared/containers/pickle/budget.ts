import { PickleError } from './error.ts'

/** Bytes that one file may take in memory once it is read, as far as they can be told beforehand. */
const DEFAULT_MEMORY = 2 * 2 ** 30

/** Longer texts cannot be held by every host. */
export const MAX_TEXT_BYTES = 256 << 20

/**
 * Counts what reading a file takes, before it is taken. A few bytes of a pickle can copy a list of millions of elements, or name a shape of
 * billions; whatever is shared by files inside one another is charged to one budget.
 */
export class Budget {
  private used = 0
  constructor(readonly limit: number = DEFAULT_MEMORY) {}

  /** Throws `PickleError` (`too-large`) when `bytes` more do not fit. */
  charge(bytes: number, at: number, what = 'what is read so far'): void {
    const used = this.used + bytes
    if (!(used <= this.limit)) {
      throw new PickleError('too-large', at, `${what} needs more than the ${inUnits(this.limit)} that a file may take`)
    }
    this.used = used
  }

  /** Gives back what was charged for something that has been let go. */
  release(bytes: number): void {
    this.used -= bytes
  }
}

function inUnits(bytes: number): string {
  if (bytes >= 2 ** 30) return `${Number((bytes / 2 ** 30).toFixed(1))} GiB`
  return bytes >= 2 ** 20 ? `${Number((bytes / 2 ** 20).toFixed(1))} MiB` : `${bytes} bytes`
}
