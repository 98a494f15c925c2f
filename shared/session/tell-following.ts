import { FirstFault, faultSentence } from './first-fault.ts'
import type { Following } from './follow.ts'
import type { EngineAnswer, Progress } from './protocol.ts'
import type { Session } from './session.ts'

/** How often a page has the files looked at, in milliseconds. */
const LOOK_EVERY = 1000

/** Following that a page began and may end. */
export interface EndingFollow {
  readonly following: Following
  readonly isOn: boolean
  /** The session whose faults are told. */
  judge(session: Session): void
  end(): void
  /** The same for another session, in place of this one; null where it was ended. */
  again(): EndingFollow | null
}

/** Follows until the page ends it, and tells the page what happens to files, and the first fault at error level. */
export function followToTell(look: Following['look'], answer: (message: EngineAnswer) => void): EndingFollow {
  const ended = new AbortController()
  const fresh = () => new FirstFault({ failOn: 'error', known: new Set() })
  let first = fresh()
  let session: Session | null = null
  let isTold = false
  const say = (said: NonNullable<Progress['said']>) => {
    if (session !== null) answer({ kind: 'progress', progress: { ...session.progress(false), said } })
  }
  return {
    following: {
      look,
      until: ended.signal,
      every: LOOK_EVERY,
      onNotice: (sentence) => say({ about: 'file', sentence }),
      onAnew() {
        first = fresh()
        isTold = false
      },
      onRound(read) {
        const open = session
        if (open === null || isTold) return
        const found = first.after(read, () => open.report())
        if (found === null) return
        isTold = true
        say({ about: 'fault', sentence: faultSentence(found.fault, found.report) })
      },
    },
    get isOn() {
      return !ended.signal.aborted
    },
    judge(opened) {
      session = opened
    },
    end: () => ended.abort(),
    again: () => (ended.signal.aborted ? null : followToTell(look, answer)),
  }
}
