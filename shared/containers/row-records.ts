import type { SkippedRecord } from '../model/source.ts'
import type { JsonObject, ParsedRecords, RawRecord, RecordSpans } from './container.ts'
import type { EncodedValues } from './decode.ts'
import { reasonOf } from './reason.ts'
import { hashValue } from './value-hash.ts'

/**
 * Records that are rows of columns. `read` decodes their batch and gives each row by its index in `spans`; where it throws,
 * nothing of the batch can be read and every record of it is listed as skipped; where one row throws, that row alone.
 */
export function rowRecords(spans: RecordSpans, code: string, read: () => (index: number) => JsonObject): ParsedRecords {
  const records: RawRecord[] = []
  const skipped: SkippedRecord[] = []
  let rowAt: ((index: number) => JsonObject) | null = null
  let failure: unknown = null
  try {
    // The record that stands for what could not be read has nothing to decode.
    if (spans.offsets.length > (spans.damaged === undefined ? 0 : 1)) rowAt = read()
  } catch (error) {
    failure = error
  }
  for (let i = 0; i < spans.offsets.length; i++) {
    const place = { record: spans.first + i, line: null, byte: spans.offsets[i] as number }
    if (spans.damaged?.index === i) {
      skipped.push({ ...place, code: spans.damaged.code, message: spans.damaged.message })
      continue
    }
    try {
      if (rowAt === null) throw failure
      const value = rowAt(i)
      records.push({ ...place, length: 0, hash: hashValue(value), value })
    } catch (error) {
      skipped.push({ ...place, code, message: `row ${place.record}: ${reasonOf(error)}` })
    }
  }
  return { records, skipped }
}

/** Records that were decoded already. */
export function valueRecords({ spans, values }: EncodedValues): ParsedRecords {
  const records: RawRecord[] = []
  const skipped: SkippedRecord[] = []
  for (const [i, decoded] of values.entries()) {
    const place = { record: spans.first + i, line: null, byte: spans.offsets[i] as number }
    if (!('value' in decoded)) {
      skipped.push({ ...place, ...decoded })
      continue
    }
    const { value } = decoded
    if (value === null || typeof value !== 'object' || Array.isArray(value) || ArrayBuffer.isView(value)) {
      skipped.push({ ...place, code: 'not-an-object', message: 'a record has named fields, this has none' })
    } else records.push({ ...place, length: 0, hash: hashValue(value), value })
  }
  return { records, skipped }
}
