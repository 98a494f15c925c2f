import { whenAborted } from './aborted.ts'
import type { Session } from './session.ts'

/**
 * Judges everything that was read where a person had stopped that, for what has to be of all. Whoever stops what it is for stops it
 * again; rejects then with the signal's reason.
 *
 * @param hooks.tell is given the share that is judged, 0 to 1
 */
export async function judgingOn(
  open: Pick<Session, 'judgeOn' | 'settled' | 'stopJudging'>,
  { signal, tell }: { readonly signal: AbortSignal; tell(share: number): void },
): Promise<void> {
  const wasStopped = open.judgeOn()
  try {
    await Promise.race([open.settled(tell), whenAborted(signal)])
  } finally {
    if (signal.aborted && wasStopped) open.stopJudging()
  }
  signal.throwIfAborted()
}
