import { whenAborted } from '../aborted.ts'
import type { Session } from '../session.ts'

type Judged = Pick<Session, 'judgeOn' | 'settled' | 'stopJudging'>

/** What waits for judging that a person had stopped, and was taken up again for it. */
const waiting = new WeakMap<Judged, { count: number }>()

/**
 * Judges everything that was read where a person had stopped that, for what has to be of all. Whoever stops the last of what it is for
 * stops it again; rejects then with the signal's reason.
 *
 * @param hooks.tell is given the share that is judged, 0 to 1
 */
export async function judgingOn(
  open: Judged,
  { signal, tell }: { readonly signal: AbortSignal; tell(share: number): void },
): Promise<void> {
  if (open.judgeOn()) waiting.set(open, { count: 0 })
  const taken = waiting.get(open)
  if (taken !== undefined) taken.count++
  try {
    await Promise.race([open.settled(tell), whenAborted(signal)])
    if (!signal.aborted) waiting.delete(open)
  } finally {
    if (taken !== undefined) {
      taken.count--
      if (signal.aborted && taken.count === 0 && waiting.get(open) === taken) {
        waiting.delete(open)
        open.stopJudging()
      }
    }
  }
  signal.throwIfAborted()
}

/** Takes judging up whatever becomes of those who wait for it: a person asked for it. */
export function judgeAll(open: Judged): void {
  waiting.delete(open)
  open.judgeOn()
}
