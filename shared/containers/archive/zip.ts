import type { ByteSource } from '../../model/source.ts'
import { DamagedBytes } from '../bytes.ts'
import { type Container, UnreadableSource } from '../container.ts'
import { type Packing, packedBytes } from '../packed-bytes.ts'
import { torchPickle } from '../torch/zip.ts'
import { sourceOfBytes } from '../unpacked-source.ts'
import type { ZipEntry } from '../zip/directory.ts'
import { ZipError } from '../zip/error.ts'
import { openZip, type ZipArchive, type ZipLimits } from '../zip/open.ts'
import type { ArchiveListing } from './expand.ts'

/** Opens an archive that is one dump. Throws `UnreadableSource` for any other, which `expandArchive` should have opened. */
export async function openZipDump(source: ByteSource, maxUnpacked: number | null): Promise<Container> {
  const limits = zipLimits(maxUnpacked)
  try {
    const archive = await openZip(source, limits)
    if (torchPickle(archive) !== undefined) return (await import('../pickled/open.ts')).openPickled(source, limits)
    if (isLog(new Set(archive.entries.map(({ name }) => name))))
      return (await import('./log.ts')).openLog(source, limits)
  } catch (error) {
    if (!(error instanceof ZipError)) throw error
    throw new UnreadableSource(error.code, `${source.name} is a zip archive that cannot be read: ${error.message}`)
  }
  throw new UnreadableSource('zip', `${source.name} is a zip archive inside something else. Unpack it, then open it.`)
}

/** What a person allows to come out of an archive's entries. */
export function zipLimits(maxUnpacked: number | null): ZipLimits {
  return maxUnpacked === null ? {} : { maxBytes: maxUnpacked, maxRatio: Number.POSITIVE_INFINITY }
}

/** Whether an archive is one dump and no collection of them: what torch saved, or a log of Inspect. */
export async function isOneDump(source: ByteSource): Promise<boolean> {
  const archive = await openZip(source)
  return torchPickle(archive) !== undefined || isLog(new Set(archive.entries.map(({ name }) => name)))
}

/** A log of Inspect lists its samples beside a header; a run that has not ended has only a journal. */
export function isLog(names: ReadonlySet<string>): boolean {
  return (
    names.has('_journal/start.json') ||
    (names.has('header.json') && [...names].some((name) => name.startsWith('samples/')))
  )
}

/** Lists the files of a zip archive by its directory. Throws `ZipError` where that cannot be read. */
export async function listZip(source: ByteSource, limits: ZipLimits, maxEntries: number): Promise<ArchiveListing> {
  const archive = await openZip(source, limits)
  const files = archive.entries.filter(({ directory }) => !directory)
  return {
    entries: files
      .slice(0, maxEntries)
      .map((entry) => ({ name: entry.name, open: (shown) => entrySource(archive, entry, shown) })),
    damage:
      files.length > maxEntries ? `it holds ${files.length} files, of which the first ${maxEntries} are read` : null,
  }
}

/** An entry as a source: read in place where it is stored, else decompressed as far as it is read. Throws `ZipError`. */
async function entrySource(archive: ZipArchive, entry: ZipEntry, name: string): Promise<ByteSource> {
  const stored = await archive.source(entry)
  if (entry.method === 0) return { ...stored, name }
  const packing: Packing = {
    id: 'zip',
    title: 'a zip archive',
    async *decompress() {
      try {
        yield* archive.chunks(entry)
      } catch (error) {
        if (error instanceof ZipError) throw new DamagedBytes(error.code, error.message)
        throw error
      }
    },
  }
  return sourceOfBytes(name, entry.bytes, packedBytes(stored, packing, { most: entry.bytes }))
}
