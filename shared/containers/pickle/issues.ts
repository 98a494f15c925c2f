/** Something in a file that was read another way than its writer may expect; every kind once, with how often it came. */
export interface PickleIssue {
  /** `inexact-integer`, `cycle`, `too-deep`, `key-clash`, `opaque-array`, `unread-torch`, `state-ignored`, `damaged-part`, `checksum`. */
  readonly code: string
  /** The first of its kind, in words. */
  readonly message: string
  readonly count: number
}

export class PickleIssues {
  private readonly kinds = new Map<string, { message: string; count: number }>()

  add(code: string, message: string, count = 1): void {
    const kind = this.kinds.get(code)
    if (kind === undefined) this.kinds.set(code, { message, count })
    else kind.count += count
  }

  list(): PickleIssue[] {
    return Array.from(this.kinds, ([code, kind]) => ({ code, ...kind }))
  }
}
