import { expect } from 'vitest'
import type { Container, JsonValue, RawRecord } from '../../shared/containers/container.ts'
import { decodeRecords, type EncodedRecords } from '../../shared/containers/decode.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { partOf } from '../../shared/session/opening/open-source.ts'
import { memorySource } from './memory-source.ts'

/** Keys of the twin's numeric columns. */
export const NUMERIC = new Set(['input_ids', 'labels', 'loss_mask', 'logprobs', 'scores'])

/** A value with every list of numbers as a plain one: booleans are 1 and 0 in it, null is NaN, as importers take them. */
export function leveled(value: JsonValue): unknown {
  if (ArrayBuffer.isView(value)) return Array.from(value as Int32Array)
  if (Array.isArray(value)) {
    const numbers = value.length > 0 && value.every((item) => item === null || /^(number|boolean)$/.test(typeof item))
    return numbers ? value.map((item) => (item === null ? Number.NaN : Number(item))) : value.map(leveled)
  }
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, leveled(item)]))
}

/** Everything in a container, batch by batch, as a pass reads it. */
export async function recordsOf(container: Container, batchBytes?: number): Promise<RawRecord[]> {
  const records: RawRecord[] = []
  for await (const spans of container.index(
    batchBytes === undefined ? {} : { batchBytes, firstBatchBytes: batchBytes },
  )) {
    const parsed = await decodeRecords(await container.read(spans), NUMERIC)
    expect(parsed.skipped).toEqual([])
    records.push(...parsed.records)
  }
  return records
}

/** What a worker does: the records are cloned to it, their buffers transferred. */
export function posted(encoded: EncodedRecords): EncodedRecords {
  const transfer = [...new Set(encoded.bytes.map((bytes) => bytes.buffer as ArrayBuffer))]
  return structuredClone(encoded, { transfer })
}

/**
 * Holds a container to its twin in JSON Lines: the same records in small batches and large, one by one in reverse order, and after
 * they were posted to another thread, each time with the same hashes.
 */
export async function expectTwin(bytes: Uint8Array, twin: Uint8Array, id: string): Promise<void> {
  const container = await openContainer(memorySource(bytes, 777, 'dump'))
  expect(container.id).toBe(id)
  const expected = (await recordsOf(await openContainer(memorySource(twin)))).map(({ value }) => leveled(value))
  const whole = await recordsOf(container)
  expect(whole.map(({ value }) => leveled(value))).toEqual(expected)
  expect(whole.map(({ record }) => record)).toEqual(expected.map((_, i) => i))
  expect(new Set(whole.map(({ hash }) => hash)).size).toBe(whole.length)
  const same = (records: readonly RawRecord[]) => records.map(({ record, hash }) => `${record} ${hash}`)
  expect(same(await recordsOf(container, 200))).toEqual(same(whole))

  const alone: RawRecord[] = []
  for await (const spans of container.index({ batchBytes: 400 })) {
    for (let i = spans.offsets.length - 1; i >= 0; i--) {
      const { records } = await decodeRecords(posted(await container.read(partOf(spans, i, i + 1))), NUMERIC)
      alone.push(...records)
    }
  }
  alone.sort((a, b) => a.record - b.record)
  expect(same(alone)).toEqual(same(whole))
  expect(alone.map(({ value }) => leveled(value))).toEqual(expected)
}
