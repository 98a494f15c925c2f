import { inNaturalOrder } from '../../model/natural-order.ts'
import type { ByteSource } from '../../model/source.ts'
import { UnreadableSource } from '../container.ts'
import { firstBytes, HEAD_BYTES, type OpenOptions, packingOf } from '../open.ts'
import { CACHE_BYTES, packedBytes, unpackedLimit } from '../packed-bytes.ts'
import { unpackedSource } from '../unpacked-source.ts'
import { ZipError } from '../zip/error.ts'

/** The files of an archive, each opened when it is asked for, under the name that people see. */
export interface ArchiveListing {
  readonly entries: readonly { readonly name: string; open(shown: string): Promise<ByteSource> }[]
  /** Why some of its files are not listed, null where all are. */
  readonly damage: string | null
  /** Reading them in another order than they stand in would decompress the archive over and over. */
  readonly inOrderOnly?: boolean
}

/** Files that are left out wherever folders are walked, and archives that are made of folders hold them. */
const NOISE = /(^|\/)(\.[^/]*|__MACOSX|node_modules|Thumbs\.db)(\/|$)/
/** A name that leads out of the folder that the archive is unpacked in; nothing is unpacked here, but no run writes one. */
const LEADS_OUT = /(^|[\\/])\.\.([\\/]|$)/
/** Names that a sentence tells. */
const NAMED = 3
/** An archive in an archive is opened; one in that is not. */
const MAX_DEPTH = 2
const MAX_ENTRIES = 10_000
/** Of an archive with those in it. */
const MAX_IN_ALL = 20_000

/** What came of a source: the sources to be opened in its place, and sentences about what is not. */
export interface Expanded {
  readonly sources: readonly ByteSource[]
  readonly problems: readonly UnreadableEntry[]
}

export interface UnreadableEntry {
  readonly name: string
  readonly bytes: number
  readonly code: string
  readonly message: string
}

/**
 * A zip or tar archive, in gzip or Zstandard or not, as the sources that are in it, called `archive.zip › step_1.jsonl` and in natural
 * order, as those of a folder are (those of a large compressed tar as they stand in it); any other source as itself. Never throws for what the bytes hold, only where they cannot be had.
 */
export async function expandArchive(source: ByteSource, options: OpenOptions = {}): Promise<Expanded> {
  return expand(source, options, 0, { left: MAX_IN_ALL })
}

async function expand(
  source: ByteSource,
  options: OpenOptions,
  depth: number,
  budget: { left: number },
): Promise<Expanded> {
  const own: Expanded = { sources: [source], problems: [] }
  const fail = (code: string, message: string): Expanded => ({
    sources: [],
    problems: [{ name: source.name, bytes: source.size, code, message: `${source.name} ${message}` }],
  })
  // A file that is not there is no damaged archive.
  const head = await source.slice(0, HEAD_BYTES)
  let listing: ArchiveListing | null
  try {
    listing = await listArchive(source, head, options, Math.min(MAX_ENTRIES, budget.left))
  } catch (error) {
    if (error instanceof UnreadableSource) return own
    // Of an archive that is damaged as such, its own words say what to do.
    if (error instanceof ZipError) return fail(error.code, `is an archive that cannot be read: ${error.message}`)
    const { code = 'damaged-archive', message } = error as { code?: string; message: string }
    return fail(code, `is an archive that cannot be read (${message}). Copy or write the file again.`)
  }
  if (listing === null) return own
  const { damage } = listing
  // Files that are left out count as well: listing them takes as long.
  budget.left -= listing.entries.length
  const outside = listing.entries.map(({ name }) => name).filter((name) => LEADS_OUT.test(name))
  const wanted = listing.entries.filter(({ name }) => !NOISE.test(name) && !LEADS_OUT.test(name))
  const entries = listing.inOrderOnly ? wanted : wanted.sort((a, b) => inNaturalOrder(a.name, b.name))
  if (depth === MAX_DEPTH)
    return fail('too-deep', `is an archive inside an archive inside an archive. Unpack it first.`)
  const sources: ByteSource[] = []
  const problems: UnreadableEntry[] = []
  if (outside.length > 0) problems.push(...fail('unsafe-name', leadsOut(outside)).problems)
  else if (entries.length === 0 && damage === null) return fail('empty', emptyBecause(listing.entries))
  if (damage !== null) problems.push(...fail('damaged-archive', `is an archive, and ${damage}.`).problems)
  for (const { name, open } of entries) {
    const shown = `${source.name} › ${name}`
    try {
      const inside = await expand(await open(shown), options, depth + 1, budget)
      sources.push(...inside.sources)
      problems.push(...inside.problems)
    } catch (error) {
      const { code = 'damaged-archive', message } = error as { code?: string; message: string }
      problems.push({
        name: shown,
        bytes: 0,
        code,
        message: `${shown} cannot be read: ${message.replace(/\.?$/, '.')}`,
      })
    }
  }
  return { sources, problems }
}

function leadsOut(names: readonly string[]): string {
  const which = names.length === 1 ? 'a file' : `${names.length} files`
  return `is an archive with ${which} whose name leads out of it, which ${names.length === 1 ? 'is' : 'are'} not read: ${quoted(names)}. Pack the files again under names without "..".`
}

function emptyBecause(entries: ArchiveListing['entries']): string {
  if (entries.length === 0) return 'is an archive without a file in it.'
  const names = entries.map(({ name }) => name)
  return `is an archive without a file in it, but for hidden ones, which are left out: ${quoted(names)}.`
}

/** Names as JSON writes them: what they hold of controls does nothing. */
function quoted(names: readonly string[]): string {
  const more = names.length - NAMED
  const told = names.slice(0, NAMED).map((name) => JSON.stringify(name))
  return told.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** What is told of an archive when those around it have as many files as are read of one run. */
const TOO_MANY: ArchiveListing = { entries: [], damage: 'the archive that it is in holds too many files. Unpack it' }

/** The files of an archive, null where the source is none. */
async function listArchive(
  source: ByteSource,
  head: Uint8Array,
  { maxUnpacked = null }: OpenOptions,
  most: number,
): Promise<ArchiveListing | null> {
  const packing = await packingOf(head)
  if (packing !== null) {
    const bytes = packedBytes(source, packing, { most: unpackedLimit(source, maxUnpacked) })
    const { isTar, listTar } = await import('./tar.ts')
    if (!isTar(await firstBytes(bytes, source.name, packing))) return null
    if (most === 0) return TOO_MANY
    const unpacked = await unpackedSource(source.name, bytes)
    return { ...(await listTar(unpacked, most)), inOrderOnly: unpacked.size > CACHE_BYTES }
  }
  if (head[0] === 0x50 && head[1] === 0x4b) {
    const { isZip } = await import('../zip/open.ts')
    if (!isZip(head)) return null
    const { listZip, zipLimits, isOneDump } = await import('./zip.ts')
    // Its directory is read whole, however few of its files are.
    if (most === 0) return TOO_MANY
    return (await isOneDump(source)) ? null : listZip(source, zipLimits(maxUnpacked), most)
  }
  if (head[257] !== 0x75) return null
  const { isTar, listTar } = await import('./tar.ts')
  if (!isTar(head)) return null
  return most === 0 ? TOO_MANY : listTar(source, most)
}
