import type { OpenedFile } from '../../electron/bridge.ts'
import { sentenceOf } from '../engine/client.ts'
import { addProblem } from '../state/files.ts'

/** What this program writes beside rollouts, which are never such files. */
export type OwnKind = 'marks' | 'notebook' | 'workspace'

/** A file that was dropped or opened, be it here or behind an address of the shell. */
export interface LooseFile {
  readonly name: string
  head(): Promise<string>
  whole(): Promise<File>
}

/** Characters in which such a file says what it is. */
const HEAD = 400
/** Nobody drops more of them at once; what is found in folders belongs to a run. */
const MOST_LOOKED_AT = 50

/** What the beginning of a file says that it is, whatever the file is called; null for any other file. */
export function ownKind(head: string): OwnKind | null {
  // A rollout that quotes such a file has a backslash before each quotation mark.
  const kind = /^\uFEFF?\s*\{[^{[]*"(?:format|schema)"\s*:\s*"rollout-inspector\.(marks|notebook|workspace)\/\d/.exec(
    head,
  )?.[1]
  return (kind as OwnKind | undefined) ?? null
}

export function looseFile(name: string, file: File): LooseFile {
  return { name, head: () => file.slice(0, HEAD).text(), whole: async () => file }
}

/** The same of a file that the shell opened. */
export function looseAddress({ name, url }: OpenedFile): LooseFile {
  const address = new URL(url, document.baseURI)
  return {
    name,
    head: async () => (await fetch(address, { headers: { range: `bytes=0-${HEAD - 1}` } })).text(),
    whole: async () => new File([await (await fetch(address)).blob()], name),
  }
}

/** The kind of each file that is one of ours. A file that cannot be read is left to whoever opens it to say so. */
export async function ownKinds(files: readonly LooseFile[]): Promise<(OwnKind | null)[]> {
  const looked = files.map(async (file, at) => {
    if (at >= MOST_LOOKED_AT || file.name.includes('/')) return null
    try {
      return ownKind(await file.head())
    } catch {
      return null
    }
  })
  return Promise.all(looked)
}

/** Takes in a file of marks or a notebook, after a question where that changes something. */
export async function takeOwnFile(kind: 'marks' | 'notebook', file: LooseFile): Promise<void> {
  try {
    const whole = await file.whole()
    if (kind === 'marks') await (await import('./marks-file.ts')).offerMarks(whole)
    else await (await import('./notebook-files.ts')).offerNotebook(whole)
  } catch (error) {
    const sentence = sentenceOf(error)
    addProblem(sentence.startsWith(file.name) ? sentence : `${file.name} could not be read: ${sentence}`)
  }
}
