import type { TrajectoryFacts } from '../checks/facts.ts'

/** Texts of a rollout that many have in common. */
const SHARED = [
  'group',
  'branchOf',
  'firstRole',
  'endReason',
  'finishReason',
  'model',
  'systemHash',
  'promptDate',
  'promptHash',
] as const

/** Texts beyond so many are no longer looked up: they are hardly shared. */
const MOST_TEXTS = 1 << 16

/**
 * Puts the drawings of a batch into one buffer. A buffer of its own costs five times what the drawing does, and a dump may have a million.
 */
export function joinStrips(rows: readonly TrajectoryFacts[]): void {
  const joined = new Uint8Array(rows.reduce((sum, { strip }) => sum + strip.length, 0))
  let at = 0
  for (const facts of rows) {
    const { strip } = facts
    joined.set(strip, at)
    Object.assign(facts, { strip: joined.subarray(at, at + strip.length) })
    at += strip.length
  }
}

/** Makes facts that came from a worker small enough to be kept: texts that were met are shared, lists have no room to grow. */
export class FactsCompactor {
  private readonly texts = new Map<string, string>()

  /** The same object. */
  compact(facts: TrajectoryFacts): TrajectoryFacts {
    const own = facts as { -readonly [Name in keyof TrajectoryFacts]: TrajectoryFacts[Name] }
    for (const name of SHARED) {
      const text = own[name]
      if (typeof text === 'string') Object.assign(own, { [name]: this.shared(text) })
    }
    own.assistantLengths = own.assistantLengths.slice()
    own.toolReplyLengths = own.toolReplyLengths.slice()
    return facts
  }

  private shared(text: string): string {
    const known = this.texts.get(text)
    if (known !== undefined) return known
    if (this.texts.size >= MOST_TEXTS) this.texts.clear()
    this.texts.set(text, text)
    return text
  }
}
