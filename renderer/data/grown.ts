import type { SourceInput } from '../../shared/session/protocol.ts'
import { useFiles } from '../state/files.ts'
import { database, type FileThen, type InspectorDatabase } from './database.ts'

/** Files and bytes that are looked at again to learn whether a run has grown; of what is more nobody knows. */
const MOST_FILES = 32
const HEAD = 1 << 20

/** A dump as it was when it was open. */
export interface DumpThen {
  readonly dumpHash: string
  readonly files: readonly FileThen[]
}

export function filesNow(sources: readonly SourceInput[]): FileThen[] {
  return sources.map((source) => ({ name: source.name, size: sizeOf(source) }))
}

function sizeOf(source: SourceInput): number {
  if (source.kind === 'file') return (source.file as File).size
  return source.kind === 'url' ? source.size : source.bytes.byteLength
}

/**
 * How many files are open beside those of a dump, where none of these is longer than it was then: a run that writes a file a step has
 * grown by them, and a folder of which one file was open alone has them all along. 0 where a file is longer.
 */
export function filesBeside(sources: readonly SourceInput[], files: readonly FileThen[]): number {
  const isLonger = files.some(({ name, size }) => sources.some((each) => each.name === name && sizeOf(each) > size))
  return isLonger ? 0 : sources.length - files.length
}

/**
 * Whether files are those of a dump, to which something was added since: each of its files is there and no shorter, and as far as they went then they
 * have its hash. False where that cannot be known.
 */
export async function isGrown(sources: readonly SourceInput[], { dumpHash, files }: DumpThen): Promise<boolean> {
  const now = files.map(({ name }) => sources.find((source) => source.name === name))
  if (files.length === 0 || files.length > MOST_FILES || sources.length < files.length) return false
  if (now.some((source, at) => source === undefined || sizeOf(source) < (files[at] as FileThen).size)) return false
  const isLonger = now.some((source, at) => sizeOf(source as SourceInput) > (files[at] as FileThen).size)
  if (!isLonger && sources.length === files.length) return false
  const [{ byteSource }, { slowSha256 }, hashes] = await Promise.all([
    import('../engine/byte-sources.ts'),
    import('../engine/sha256.ts'),
    import('../../shared/session/hashes.ts'),
  ])
  try {
    const then = await Promise.all(
      now.map(async (source, at) => {
        const { size } = files[at] as FileThen
        const head = await byteSource(source as SourceInput).slice(0, Math.min(HEAD, size))
        return { size, slice: async () => head }
      }),
    )
    return (await hashes.dumpHash(then, { createSha256: slowSha256 })) === dumpHash
  } catch {
    return false
  }
}

/** Whether what is open is the dump of this hash, which was open in this browser before, and has grown since. */
export async function isGrownSince(dumpHash: string, from: InspectorDatabase = database): Promise<boolean> {
  const { sources } = useFiles.getState()
  const then = await dumpThen(dumpHash, from).catch(() => null)
  return then !== null && (await isGrown(sources, then)) && useFiles.getState().sources === sources
}

async function dumpThen(dumpHash: string, from: InspectorDatabase): Promise<DumpThen | null> {
  const place = await from.lastPlaces.get(dumpHash)
  if (place?.files !== undefined) return { dumpHash, files: place.files }
  const opens = await from.opens.toArray()
  const open = opens.find(({ dumpHashes, files }) => files !== undefined && dumpHashes[0] === dumpHash)
  return open?.files === undefined ? null : { dumpHash, files: open.files }
}
