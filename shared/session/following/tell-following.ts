import type { Report } from '../../model/report.ts'
import { FirstFault, faultSentence } from '../concluding/first-fault.ts'
import type { EngineAnswer, Progress } from '../protocol.ts'
import type { Session } from '../session.ts'
import type { Following } from './follow.ts'

/** How often a page has the files looked at, in milliseconds. */
const LOOK_EVERY = 1000

/** Following that a page began and may end. */
export interface EndingFollow {
  readonly following: Following
  readonly isOn: boolean
  /** The session whose faults are told. */
  judge(session: Session): void
  end(): void
  /** Ends it with what was audited by now. */
  endAtOnce(): void
  /** The same for another session, in place of this one; null where it was ended. */
  again(): EndingFollow | null
}

/** Follows until the page ends it, and tells the page what happens to files, and the first fault at error level. */
export function followToTell(look: Following['look'], answer: (message: EngineAnswer) => void): EndingFollow {
  const ended = new AbortController()
  const endedAtOnce = new AbortController()
  const fresh = () => new FirstFault({ failOn: 'error', known: new Set() })
  let first = fresh()
  let session: Session | null = null
  let isTold = false
  let looked: Report | null = null
  const say = (said: NonNullable<Progress['said']>) => {
    if (session !== null) answer({ kind: 'progress', progress: { ...session.progress(session.isDone), said } })
  }
  return {
    following: {
      look,
      until: ended.signal,
      atOnce: endedAtOnce.signal,
      every: LOOK_EVERY,
      onNotice: (sentence) => say({ about: 'file', sentence }),
      onAnew() {
        first = fresh()
        isTold = false
        looked = null
      },
      onRound(read) {
        const open = session
        const own = first
        if (open === null || isTold || !own.isDue(read)) return
        const look = (report: Report) => {
          if (isTold || own !== first) return
          // While it was drawn, the run was read on more than once. Two looks at one report say nothing, unless nothing came since.
          if (read && report === looked) return
          looked = report
          const found = own.foundIn(report)
          if (found === null) return
          isTold = true
          say({ about: 'fault', sentence: faultSentence(found.fault, found.report), code: found.fault.code })
        }
        // Drawn at once it would hold the page's questions up. Whoever ended the session is told nothing any more.
        open.judged().then(look, () => undefined)
      },
    },
    get isOn() {
      return !ended.signal.aborted
    },
    judge(opened) {
      session = opened
    },
    end: () => ended.abort(),
    endAtOnce() {
      ended.abort()
      endedAtOnce.abort()
    },
    again: () => (ended.signal.aborted ? null : followToTell(look, answer)),
  }
}
