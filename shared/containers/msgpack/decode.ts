import { decode, type ExtensionCodecType } from '@msgpack/msgpack'
import { hashBytes } from '../../model/bulk-hash.ts'
import type { SkippedRecord } from '../../model/source.ts'
import type { JsonObject, JsonValue, ParsedRecords, RawRecord, RecordSpans } from '../container.ts'
import { setOwn, typedValue } from '../plain-value.ts'
import { reasonOf } from '../reason.ts'

/** MessagePack values: `bytes` is one range, from the first record of `spans` to the end of its last. */
export interface EncodedMsgpack {
  readonly decoder: 'msgpack'
  readonly spans: RecordSpans
  readonly bytes: readonly [Uint8Array]
}

/**
 * Decodes MessagePack records. Lists of numbers are typed arrays; a record that is itself a list (a struct written by position)
 * is an object with the keys `"0"`, `"1"`, …; extension types stay what they are, `{ "extension": type, "bytes": length }`.
 */
export function decodeMsgpack({ bytes: [bytes], spans }: EncodedMsgpack): ParsedRecords {
  const records: RawRecord[] = []
  const skipped: SkippedRecord[] = []
  const base = spans.offsets[0] ?? 0
  for (let i = 0; i < spans.offsets.length; i++) {
    const byte = spans.offsets[i] as number
    const length = spans.lengths[i] as number
    const place = { record: spans.first + i, line: null, byte }
    if (spans.damaged?.index === i) {
      skipped.push({ ...place, code: spans.damaged.code, message: spans.damaged.message })
      continue
    }
    const start = byte - base
    try {
      const value = recordOf(decode(bytes.subarray(start, start + length), OPTIONS))
      if (value === null) {
        skipped.push({
          ...place,
          code: 'not-an-object',
          message: 'a record is a map or a list, this is a single value',
        })
      } else records.push({ ...place, length, hash: hashBytes(bytes, start, start + length), value })
    } catch (error) {
      const message = reasonOf(error)
      skipped.push({ ...place, code: 'bad-msgpack', message: `at byte ${byte}: ${message}` })
    }
  }
  return { records, skipped }
}

/** Nothing is made of any extension, the timestamp included. */
const extensionCodec: ExtensionCodecType<undefined> = {
  tryToEncode: () => null,
  decode: (data, type) => ({ extension: type, bytes: data.length }),
}

const OPTIONS = { useBigInt64: true, extensionCodec }

function recordOf(value: unknown): JsonObject | null {
  const json = typedValue(value)
  if (json === null || typeof json !== 'object') return null
  if (!Array.isArray(json) && !ArrayBuffer.isView(json)) return json
  const object: JsonObject = {}
  for (let i = 0; i < json.length; i++) setOwn(object, String(i), json[i] as JsonValue)
  return object
}
