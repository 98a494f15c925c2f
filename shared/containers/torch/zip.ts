import type { ByteSource } from '../../model/source.ts'
import { storageId } from '../pickle/allow/torch.ts'
import { ITEM_BYTES } from '../pickle/dtype.ts'
import { PickleError } from '../pickle/error.ts'
import { type PickleOptions, readPickle, type SharedReading } from '../pickle/read.ts'
import { PyStorage } from '../pickle/tensor.ts'
import type { PyValue } from '../pickle/values.ts'
import type { ZipEntry } from '../zip/directory.ts'
import { ZipError } from '../zip/error.ts'
import type { ZipArchive } from '../zip/open.ts'

/** The pickle of a torch file among the entries of an archive, whose folder has any name; undefined where the archive is something else. */
export function torchPickle(archive: ZipArchive): ZipEntry | undefined {
  return archive.entries.find(({ name }) => /^(?:[^/]+\/)?data\.pkl$/.test(name))
}

/**
 * Reads the format that torch writes since 1.6: an archive of a pickle and one entry for each storage, whose bytes stay in the file.
 * Throws `PickleError` and `ZipError`.
 */
export async function readZipTorch(
  archive: ZipArchive,
  pickle: ZipEntry,
  options: PickleOptions & SharedReading,
): Promise<PyValue> {
  const folder = pickle.name.slice(0, -'data.pkl'.length)
  if (archive.entry(`${folder}constants.pkl`) !== undefined) {
    throw new PickleError('unsupported-pickle', pickle.header, 'the file is a TorchScript program, not data')
  }
  await checkSum(archive, pickle, options)
  const littleEndian = await isLittleEndian(archive, folder)
  const storages = new Map<string, PyStorage>()
  const source = await archive.source(pickle)
  const file = await readPickle(source, {
    ...options,
    where: `${pickle.name}, `,
    persistent(id, context) {
      const named = storageId(id)
      if (named?.dtype == null) return undefined
      const { key, dtype, numel } = named
      const known = storages.get(key)
      if (known?.dtype === dtype) return known
      context.budget.charge(128, context.at)
      const entry = archive.entry(`${folder}data/${key}`)
      if (entry === undefined) throw context.error('cut-off', `storage ${key.slice(0, 40)} is not in the archive`)
      const needed = numel * ITEM_BYTES[dtype]
      if (entry.bytes < needed) {
        throw context.error(
          'bad-pickle',
          `storage ${key} should have ${needed} bytes, the archive has ${entry.bytes} of it`,
        )
      }
      const storage = new PyStorage(key)
      storage.dtype = dtype
      storage.littleEndian = littleEndian
      storage.data = known?.data ?? entryRange(archive, entry)
      storages.set(key, storage)
      return storage
    },
  })
  return file.value
}

/**
 * Bytes that are read where they lie are not checked on the way. In the pickle a wrong bit may be another token, so it is gone through once
 * before; what still can be read is, and the difference is said.
 */
async function checkSum(archive: ZipArchive, pickle: ZipEntry, { issues, signal }: PickleOptions & SharedReading) {
  if (pickle.method !== 0) return
  try {
    for await (const _ of archive.chunks(pickle)) signal?.throwIfAborted()
  } catch (error) {
    if (!(error instanceof ZipError)) throw error
    issues.add('checksum', error.message)
  }
}

/** The bytes of an entry, opened when the first of them are asked for. */
function entryRange(archive: ZipArchive, entry: ZipEntry) {
  let source: Promise<ByteSource> | null = null
  return {
    length: entry.bytes,
    slice: async (start: number, end: number) => (await (source ??= archive.source(entry))).slice(start, end),
  }
}

/** Written since torch 2.1; before, only little-endian machines wrote files that others could read. */
async function isLittleEndian(archive: ZipArchive, folder: string): Promise<boolean> {
  const entry = archive.entry(`${folder}byteorder`)
  if (entry === undefined || entry.bytes > 16) return true
  return new TextDecoder().decode(await archive.read(entry)) !== 'big'
}
