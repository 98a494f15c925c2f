import type { ByteSource } from '../../model/source.ts'
import { storageId } from '../pickle/allow/torch.ts'
import { fewItems, isWhole } from '../pickle/arguments.ts'
import { type Dtype, ITEM_BYTES } from '../pickle/dtype.ts'
import { PickleError } from '../pickle/error.ts'
import { type PickleOptions, rangeOf, readPickle, type SharedReading } from '../pickle/read.ts'
import { PyStorage } from '../pickle/tensor.ts'
import { fieldOf, itemsOf, type PyValue } from '../pickle/values.ts'

/** The first pickle of a file that torch wrote before 1.6, and writes still for a storage inside a plain pickle. */
const MAGIC_NUMBER = 0x1950a86a20f9469cfc6cn
const PROTOCOL_VERSION = 1001

const HEAD = [0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19, 0x2e]

/** Whether a file's first bytes are those of torch's old format: a pickle of any binary protocol with this number. */
export function isLegacyTorch(head: Uint8Array): boolean {
  // From protocol 4 on a FRAME of 9 bytes stands before it.
  const start = head[2] === 0x95 ? 11 : 2
  return head[0] === 0x80 && HEAD.every((byte, i) => head[start + i] === byte)
}

/**
 * Reads torch's format from before 1.6: five pickles (magic number, version, machine, object, keys of storages), then for each key the
 * number of its elements and their bytes, which stay in the file. Throws `PickleError`.
 */
export async function readLegacyTorch(
  source: Pick<ByteSource, 'size' | 'slice'>,
  options: PickleOptions & SharedReading,
): Promise<PyValue> {
  const fail = (at: number, what: string) => new PickleError('bad-pickle', at, what)
  const magic = await readPickle(source, options)
  if (magic.value !== MAGIC_NUMBER) throw fail(0, 'the file does not begin with the number of torch files')
  const version = await readPickle(source, { ...options, start: magic.end })
  if (version.value !== PROTOCOL_VERSION)
    throw fail(magic.end, `version ${PROTOCOL_VERSION} of torch's format is read, not this one`)
  const machine = await readPickle(source, { ...options, start: version.end })
  if (fieldOf(machine.value, 'little_endian') === undefined)
    throw fail(version.end, 'what should describe the machine does not')
  const storages = new Map<string, PyStorage>()
  const views: (() => void)[] = []
  const object = await readPickle(source, {
    ...options,
    start: machine.end,
    persistent(id, context) {
      // Source texts of modules stand beside their class; the class alone is part of the value.
      const parts = fewItems(id)
      if (parts?.[0] === 'module') return parts[1]
      const named = storageId(id)
      if (named?.dtype == null) return undefined
      context.budget.charge(64, context.at)
      let storage = storages.get(named.key)
      if (storage === undefined) storages.set(named.key, (storage = typedStorage(named.key, named.dtype)))
      else if (storage.dtype !== named.dtype) {
        throw context.error(
          'bad-pickle',
          `storage ${named.key} is of type ${storage.dtype} here and ${named.dtype} there`,
        )
      }
      const [viewKey, offset, size] = fewItems(named.view) ?? []
      if (typeof viewKey !== 'string' || !isWhole(offset) || !isWhole(size) || offset < 0 || size < 0) return storage
      const whole = storage
      const view = typedStorage(viewKey, named.dtype)
      const item = ITEM_BYTES[named.dtype]
      views.push(() => {
        if (whole.data !== null) view.data = rangeOf(whole.data, offset * item, size * item)
      })
      return view
    },
  })
  const keys = await readPickle(source, { ...options, start: object.end })
  const items = itemsOf(keys.value)
  if (items === null) throw fail(object.end, 'the keys of the storages are no list')
  let at = keys.end
  for (const key of items) {
    const storage = typeof key === 'string' ? storages.get(key) : undefined
    if (storage?.dtype == null) throw fail(at, 'a storage follows that no tensor uses')
    const head = await source.slice(at, at + 8)
    if (head.length < 8) throw new PickleError('cut-off', at, `the file ends before storage ${key}`)
    // Sizes and elements are little-endian whatever the machine was.
    const view = new DataView(head.buffer, head.byteOffset, 8)
    const bytes = (view.getUint32(4, true) * 2 ** 32 + view.getUint32(0, true)) * ITEM_BYTES[storage.dtype]
    if (!(at + 8 + bytes <= source.size)) {
      const left = source.size - at - 8
      throw new PickleError('cut-off', at, `storage ${key} should have ${bytes} bytes, the file ends after ${left}`)
    }
    storage.data = rangeOf(source, at + 8, bytes)
    at += 8 + bytes
  }
  for (const makeView of views) makeView()
  return object.value
}

function typedStorage(key: string, dtype: Dtype): PyStorage {
  const storage = new PyStorage(key)
  storage.dtype = dtype
  return storage
}
