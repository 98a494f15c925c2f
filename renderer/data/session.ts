import type { OpenedFile } from '../../electron/bridge.ts'
import { addProblem, dismissAllProblems } from '../state/files.ts'
import { openSources } from './dump.ts'
import { observable } from './observable.ts'
import { openFromShell, urlSource } from './opening.ts'

/** What the host tells its page at the start (`session.json`). */
interface Session {
  readonly files: readonly OpenedFile[]
  readonly sample: OpenedFile | null
  readonly notice: string | null
}

/** The sample run, where the host has one to lend. */
export const sample = observable<OpenedFile | null>(null)
/** One line from the host that belongs on the start page. */
export const hostNotice = observable<string | null>(null)

/** Asks the host what to open. A page without such a host starts empty. */
export async function startSession(): Promise<void> {
  const session = await fetchSession()
  sample.set(session?.sample ?? null)
  hostNotice.set(session?.notice ?? null)
  if (session !== null && session.files.length > 0) await openSources(session.files.map(urlSource))
  const shell = window.inspector
  if (shell === undefined) return
  shell.onOpenFiles((opened) => void openFromShell(opened))
  await openFromShell(await shell.ready())
}

export async function openSample(): Promise<void> {
  const file = sample.get()
  dismissAllProblems()
  if (file === null) addProblem('This installation carries no sample run. Drop a file of your own.')
  else await openSources([urlSource(file)])
}

async function fetchSession(): Promise<Session | null> {
  try {
    const response = await fetch(new URL('session.json', document.baseURI), { cache: 'no-store' })
    if (!response.ok) return null
    const value: unknown = await response.json()
    if (typeof value !== 'object' || value === null) return null
    const { files, sample: one, notice } = value as Record<string, unknown>
    return {
      files: Array.isArray(files) ? files.filter(isOpenedFile) : [],
      sample: isOpenedFile(one) ? one : null,
      notice: typeof notice === 'string' ? notice : null,
    }
  } catch {
    // No such host, or an answer that is no JSON: there is nothing to open.
    return null
  }
}

function isOpenedFile(value: unknown): value is OpenedFile {
  if (typeof value !== 'object' || value === null) return false
  const { name, url, size } = value as Record<string, unknown>
  return typeof name === 'string' && typeof url === 'string' && typeof size === 'number'
}
