import type { ByteSource } from '../../model/source.ts'
import { Budget } from '../pickle/budget.ts'
import { PickleError } from '../pickle/error.ts'
import { type ForeignName, ForeignNames } from '../pickle/foreign.ts'
import { type PickleIssue, PickleIssues } from '../pickle/issues.ts'
import { type PickleFile, type PickleOptions, readPickle, readPickles, type SharedReading } from '../pickle/read.ts'
import type { ByteRange, PyValue } from '../pickle/values.ts'
import { isZip, openZip, rangeSource, type ZipArchive, type ZipLimits } from '../zip/open.ts'
import { isLegacyTorch, readLegacyTorch } from './legacy.ts'
import { readZipTorch, torchPickle } from './zip.ts'

export interface TorchOptions extends Omit<PickleOptions, 'persistent' | 'readTorch' | 'start'> {
  readonly zip?: ZipLimits
}

export interface TorchFile {
  /** Tensors in it read their elements from the source when they are asked for. */
  readonly value: PyValue
  readonly layout: 'zip' | 'legacy'
  /** Names that are not known to be plain data. None was called. */
  readonly foreign: readonly ForeignName[]
  readonly issues: readonly PickleIssue[]
}

/** Files inside files inside files: no trainer nests them deeper than a storage in a batch in a pickle. */
const MAX_NESTING = 4
const HEAD_BYTES = 512

/**
 * Reads what `torch.save` wrote: the archive of torch 1.6 and later, or the format before it. Nothing in it is run, and tensors stay in
 * the file. Throws `PickleError` and `ZipError`, each with the place.
 */
export async function openTorch(source: ByteSource, options: TorchOptions = {}): Promise<TorchFile> {
  return within(options.where, readTorch(source, withShared(options), 0))
}

/** Reads a plain pickle with everything that torch and the trainers put into one: tensors, and torch files as bytes. */
export async function openPickle(
  source: ByteSource,
  options: TorchOptions & { readonly start?: number } = {},
): Promise<PickleFile> {
  return readPickle(source, nesting(withShared(options), 0))
}

/** As `openPickle`, for a file of several pickles one after another. */
export async function* openPickles(source: ByteSource, options: TorchOptions = {}): AsyncGenerator<PickleFile> {
  yield* readPickles(source, nesting(options, 0))
}

type Shared = TorchOptions & SharedReading

function withShared<Options extends TorchOptions>(options: Options): Options & SharedReading {
  const { budget = new Budget(), foreign = new ForeignNames(), issues = new PickleIssues() } = options
  return { ...options, budget, foreign, issues }
}

/** The options of a pickle, in which torch files may lie `depth` deep. */
function nesting<Options extends TorchOptions>(
  options: Options,
  depth: number,
): Options & Pick<PickleOptions, 'readTorch'> {
  return {
    ...options,
    async readTorch(bytes: ByteRange, shared: SharedReading): Promise<PyValue> {
      if (depth >= MAX_NESTING) {
        throw new PickleError('too-large', -1, `torch files are nested in one another more than ${MAX_NESTING} deep`)
      }
      const file = readTorch(sourceOf(bytes), { ...options, ...shared }, depth + 1)
      return (await within('torch file inside, ', file)).value
    },
  }
}

/** Puts the file or part in which a `PickleError` happened before its place. */
async function within<Value>(where: string | undefined, reading: Promise<Value>): Promise<Value> {
  try {
    return await reading
  } catch (error) {
    throw error instanceof PickleError && where !== undefined ? error.within(where) : error
  }
}

async function readTorch(source: ByteSource, { where: _, ...options }: Shared, depth: number): Promise<TorchFile> {
  const head = await source.slice(0, HEAD_BYTES)
  if (isZip(head)) return readArchive(await openZip(source, options.zip), options, depth)
  if (isTar(head)) {
    const what = 'the file is a tar archive, as torch wrote before 0.1.10'
    throw new PickleError('unsupported-pickle', 0, what)
  }
  if (!isLegacyTorch(head)) throw new PickleError('bad-pickle', 0, 'this is not what torch.save writes')
  const value = await readLegacyTorch(source, nesting(options, depth))
  return { value, layout: 'legacy', foreign: options.foreign.list(), issues: options.issues.list() }
}

async function readArchive(archive: ZipArchive, { where: _, ...options }: Shared, depth: number): Promise<TorchFile> {
  const pickle = torchPickle(archive)
  if (pickle === undefined) {
    throw new PickleError('bad-pickle', 0, 'the archive has no data.pkl, so torch.save did not write it')
  }
  const value = await readZipTorch(archive, pickle, nesting(options, depth))
  return { value, layout: 'zip', foreign: options.foreign.list(), issues: options.issues.list() }
}

function isTar(head: Uint8Array): boolean {
  return [0x75, 0x73, 0x74, 0x61, 0x72].every((byte, i) => head[257 + i] === byte)
}

function sourceOf(bytes: ByteRange): ByteSource {
  const source: ByteSource = {
    name: 'torch file inside a pickle',
    size: bytes.length,
    slice: (start, end) => bytes.slice(start, end),
    stream: (start = 0) => rangeSource(source, source.name, start, bytes.length - start).stream(),
  }
  return source
}
