import type { OpenedFile } from '../../electron/bridge.ts'
import { applyWithoutRollout } from '../app/keep-address.ts'
import { sentenceOf } from '../engine/client.ts'
import { parseAddress } from '../state/address.ts'
import { addProblem, dismissAllProblems, useFiles } from '../state/files.ts'
import { during } from '../state/under-way.ts'
import { openSources } from './dump.ts'
import { isGrownSince } from './grown.ts'
import { observable } from './observable.ts'
import { openFromShell } from './opening.ts'
import { recentOpens } from './recent.ts'
import {
  type Choice,
  choiceAgain,
  fetchSession,
  hashOfServed,
  onlyFile,
  servedFolder,
  sourcesOf,
  urlSource,
} from './served-folder.ts'
import { keepWindowFiles, windowFiles } from './window-files.ts'

/** The sample run, where the host has one to lend; undefined until it has answered. */
export const sample = observable<OpenedFile | null | undefined>(undefined)
/** One line from the host that belongs on the start page. */
export const hostNotice = observable<string | null>(null)
/** Why the place that the address asks for is not shown, where more is known than that its dump is not open. */
export const linkNotice = observable<string | null>(null)

/** Asks the host what to open. A page without such a host starts empty. */
export async function startSession(): Promise<void> {
  const session = await during('Looking at what there is to open', fetchSession)
  sample.set(session?.sample ?? null)
  hostNotice.set(session?.notice ?? null)
  for (const problem of session?.problems ?? []) addProblem(problem)
  if (session !== null && session.files.length > 0) await openSources(session.files.map((file) => urlSource(file)))
  else if (!(await openSampleAgain())) await openWanted()
  const shell = window.inspector
  if (shell === undefined) return
  const before = windowFiles()
  keepWindowFiles()
  shell.onOpenFiles((opened) => void openFromShell(opened))
  const opened = await shell.ready()
  if (opened.files.length === 0 && before.length > 0) await openSources(before)
  await openFromShell(opened)
}

/** A page that had the sample open and is loaded again has it open, where its address points; a person's own file has to be chosen. */
async function openSampleAgain(): Promise<boolean> {
  if (window.inspector !== undefined) return false
  const [before, ...others] = windowFiles()
  keepWindowFiles()
  const file = sample.get() ?? null
  if (file === null || others.length > 0 || before?.kind !== 'url') return false
  const lent = urlSource(file)
  const isOpenAgain = lent.kind === 'url' && lent.url === before.url
  if (isOpenAgain) await openSample()
  return isOpenAgain
}

/** A place in what was opened of the served folder is shown again; a folder of one file leaves nothing to choose. */
async function openWanted(): Promise<void> {
  const folder = servedFolder.get()
  if (folder === null) return
  const wanted = parseAddress(location.hash)
  const { dump } = wanted
  const entries = dump === null ? [] : (await recentOpens()).filter(({ dumpHashes }) => dumpHashes.includes(dump))
  const [again] = entries.flatMap((entry) => choiceAgain(entry, folder) ?? [])
  const choice = again ?? onlyFile(folder)
  if (choice === null) return
  // A link into another run does not show this one as if it were that.
  if (again === undefined && dump !== null) {
    const why = await whyNotShown(choice, dump)
    linkNotice.set(why)
    if (why !== null) return
  }
  await openServed(choice)
  const { dumpHash } = useFiles.getState()
  if (again === undefined || dump === null || dumpHash === null || dumpHash === dump) return
  // Its place in the run as it has grown is gone to where the address is kept.
  if (!(await isGrownSince(dump))) applyWithoutRollout(wanted)
}

/** Why the link into a dump is not followed to the only file there is; null where it is that dump. */
async function whyNotShown(choice: Choice, dump: string): Promise<string | null> {
  const [name = ''] = choice.names
  const words = `the link (the hash of its dump begins with ${dump.slice(0, 12)})`
  try {
    if ((await during(`Looking whether the link points into ${name}`, () => hashOfServed(choice))) === dump) return null
  } catch (error) {
    return `${name} is not opened: it could not be read to see whether ${words} points into it. ${sentenceOf(error)}`
  }
  return `${name} is not opened: ${words} points into another run, or into this one before it grew. Open it to see it as it is now, or drop the dump of the link to see the place.`
}

/** Opens files of the folder that the host serves. */
export async function openServed(choice: Choice): Promise<void> {
  dismissAllProblems()
  try {
    await openSources(await sourcesOf(choice))
  } catch (error) {
    addProblem(sentenceOf(error))
  }
}

export async function openSample(): Promise<void> {
  const file = sample.get() ?? null
  dismissAllProblems()
  if (file === null) addProblem('This installation carries no sample run. Drop a file of your own.')
  else await openSources([urlSource(file)])
}
