import type { ByteSource } from '../../model/source.ts'
import { type Container, UnreadableSource } from '../container.ts'
import { DEFAULT_BATCH_BYTES, extentOf, SpansBuilder } from '../spans.ts'
import { wholeBuffer } from '../whole-buffer.ts'
import { CutValue, type ScannedValue, scanValue } from './scan.ts'

/** Where its values begin and end is only known once all of it was looked at. */
const MAX_BYTES = 1 << 30

/**
 * Opens MessagePack. Of a file that is one list of lists or maps every element is a record; of several values one after another
 * every value; a single map is one record.
 */
export async function openMsgpack(source: ByteSource): Promise<Container> {
  if (source.size > MAX_BYTES) {
    throw new UnreadableSource(
      'too-large',
      `${source.name} is MessagePack of ${source.size} bytes, and is read only up to ${MAX_BYTES}: it would have to be held whole. Split it, or write the rollouts as JSONL.`,
    )
  }
  return {
    id: 'msgpack',
    source,
    metadata: null,
    async *index({ batchBytes = DEFAULT_BATCH_BYTES, firstBatchBytes = batchBytes, signal, onBytes } = {}) {
      const bytes = await source.slice(0, source.size)
      signal?.throwIfAborted()
      const builder = new SpansBuilder({ first: firstBatchBytes, most: batchBytes })
      const { values, damage } = findRecords(bytes)
      for (const [start, end] of values) {
        const full = builder.add(start, end - start, 0)
        if (full !== null) yield full
        onBytes?.(end)
      }
      const rest = damage === null ? builder.finish() : builder.damage(damage.at, 0, 'bad-msgpack', damage.message)
      if (rest !== null) yield rest
      onBytes?.(source.size)
    },
    async read(spans) {
      const { firstByte: start, endByte: end } = extentOf(spans)
      return { decoder: 'msgpack', spans, bytes: [wholeBuffer(await source.slice(start, end))] }
    },
  }
}

interface FoundRecords {
  readonly values: readonly (readonly [start: number, end: number])[]
  readonly damage: { readonly at: number; readonly message: string } | null
}

function findRecords(bytes: Uint8Array): FoundRecords {
  const top = consecutive(bytes, 0, Number.POSITIVE_INFINITY)
  const [only] = top.values
  // A list is cut where a value of it is: what lies before that is still there.
  const list = only === undefined ? listHead(bytes) : top.values.length === 1 && top.damage === null ? only[2] : null
  if (list?.kind !== 'array') return plain(top)
  const inside = consecutive(bytes, list.inside, list.count)
  return inside.values.length > 0 && inside.values.every(([, , value]) => value.kind !== 'other')
    ? plain(inside)
    : plain(top)
}

function plain({ values, damage }: ReturnType<typeof consecutive>): FoundRecords {
  return { values: values.map(([start, end]) => [start, end]), damage }
}

/** The length of a list that the bytes do not hold whole. */
function listHead(bytes: Uint8Array): Pick<ScannedValue, 'kind' | 'count' | 'inside'> | null {
  const byte = bytes[0] ?? 0
  if (byte >= 0x90 && byte < 0xa0) return { kind: 'array', count: byte & 15, inside: 1 }
  const width = byte === 0xdc ? 2 : byte === 0xdd ? 4 : 0
  if (width === 0) return null
  let count = 0
  for (let i = 1; i <= width; i++) count = count * 256 + (bytes[i] ?? 0)
  return { kind: 'array', count, inside: 1 + width }
}

function consecutive(bytes: Uint8Array, from: number, most: number) {
  const values: [start: number, end: number, value: ScannedValue][] = []
  for (let at = from; at < bytes.length && values.length < most; ) {
    try {
      const value = scanValue(bytes, at)
      values.push([at, value.end, value])
      at = value.end
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      const what = error instanceof CutValue ? 'the file is cut off or damaged' : 'the file is damaged'
      return {
        values,
        damage: { at, message: `${what} in the value at byte ${at}: ${error.message}; nothing after it can be read` },
      }
    }
  }
  if (values.length < most && most !== Number.POSITIVE_INFINITY) {
    const message = `the file ends after ${values.length} of the ${most} elements that its list declares`
    return { values, damage: { at: bytes.length, message } }
  }
  return { values, damage: null }
}
