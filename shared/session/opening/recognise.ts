import type { AuditOptions } from '../../model/policy.ts'
import type { ByteSource } from '../../model/source.ts'
import { describedAlone, hasNumbers } from './described-alone.ts'
import { openFile } from './open-file.ts'
import type { UnreadableFile } from './open-source.ts'

/** What the beginnings of files say, before anything is let go of for them. */
export interface Recognised {
  /** Rollouts, or a log with numbers of a run, are in one of them at least. */
  readonly isKnown: boolean
  /** Why each file cannot be read, where none can. */
  readonly unreadable: readonly UnreadableFile[]
}

/** Looks at files until one of them can be read. Throws only the signal's reason. */
export async function recognise(
  sources: readonly ByteSource[],
  options: Pick<AuditOptions, 'map' | 'maxUnpacked' | 'readAs'>,
  signal: AbortSignal,
): Promise<Recognised> {
  const unreadable: UnreadableFile[] = []
  for (const source of sources) {
    const file = await openFile(source, 0, options, signal)
    if (file.opened.length > 0 || file.logs.some(hasNumbers)) return { isKnown: true, unreadable: [] }
    unreadable.push(...file.unreadable, ...describedAlone(file.logs))
  }
  return { isKnown: false, unreadable }
}
