import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../shared/containers/container.ts'
import { decodeRecords } from '../../shared/containers/decode.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { isObject } from '../../shared/formats/fields.ts'
import { allNumericKeys, FORMATS } from '../../shared/formats/registry.ts'
import { memorySource } from '../containers/memory-source.ts'
import { FIXTURES, fixtureNames } from './fixture-files.ts'

async function recordsOf(format: string): Promise<JsonObject[]> {
  const records: JsonObject[] = []
  for (const name of fixtureNames.filter((each) => each.startsWith(`${format}/`))) {
    const container = await openContainer(memorySource(new Uint8Array(readFileSync(new URL(name, FIXTURES)))))
    for await (const spans of container.index()) {
      const read = await decodeRecords(await container.read(spans), allNumericKeys)
      records.push(...read.records.map(({ value }) => value as JsonObject))
    }
  }
  return records
}

const recordsByFormat = new Map<string, JsonObject[]>()
for (const { id } of FORMATS) recordsByFormat.set(id, await recordsOf(id))

/** Paths to everything inside a value, three levels deep. */
function pathsOf(value: JsonValue, depth = 4): (string | number)[][] {
  if (depth === 0 || value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    [key],
    ...pathsOf(inner, depth - 1).map((path) => [key, ...path]),
  ])
}

function replaced(value: JsonValue, path: readonly (string | number)[], by: JsonValue): JsonValue {
  const [key, ...rest] = path
  if (key === undefined) return by
  if (Array.isArray(value))
    return value.map((inner, i) => (String(i) === String(key) ? replaced(inner, rest, by) : inner))
  if (!isObject(value)) return value
  return { ...value, [key]: replaced(value[key] as JsonValue, rest, by) }
}

const strange: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, '', 'text', -1, 0.5, Number.NaN, 1e300, [], {}, [[]], [null], ['7', 8], {
    role: 1,
  }),
  fc.array(fc.integer()).map((list) => Int32Array.from(list)),
  fc.array(fc.double()).map((list) => Float64Array.from(list)),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>,
)

describe.each(FORMATS.map(({ id }) => id))('%s', (id) => {
  const format = FORMATS.find((each) => each.id === id)!
  const records = recordsByFormat.get(id)!
  const spots = records.flatMap((record) => pathsOf(record).map((path) => ({ record, path })))

  test('never throws for what stands in a field: the record is read or skipped', () => {
    expect(spots.length).toBeGreaterThan(10)
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...spots), strange), { minLength: 1, maxLength: 3 }), (changes) => {
        const { record } = changes[0]![0]
        const value = changes.reduce<JsonValue>((changed, [{ path }, by]) => replaced(changed, path, by), record)
        for (const each of FORMATS) each.recognise({ records: [value] })
        const raw = { record: 3, line: 4, byte: 5, length: 6, hash: '0123456789abcdef', value }
        const recognition = { confidence: 1, evidence: [], version: null }
        const read = format.read([raw, { ...raw, record: 4, value: records[0] as JsonObject }], {
          source: 0,
          recognition,
        })
        const seen = new Set([
          ...read.trajectories.map(({ place }) => place.record),
          ...read.skipped.map((skip) => skip.record),
        ])
        expect(seen.has(4)).toBe(true)
        for (const { ids, mask, sampled, logprobs, advantages, place } of read.trajectories) {
          expect(place.source).toBe(0)
          for (const array of [mask, sampled, logprobs.sampler, logprobs.trainer, logprobs.reference, advantages]) {
            if (array !== null) expect(array.length).toBe(ids?.length)
          }
        }
        structuredClone(read.trajectories)
      }),
      { numRuns: 1500 },
    )
  })
})

test('nothing is recognised in records of no known layout', () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), (records) => {
      for (const format of FORMATS) expect(format.recognise({ records: records as JsonValue[] })).toBeNull()
    }),
  )
  expect(FORMATS.map((format) => format.recognise({ records: [] }))).toEqual(FORMATS.map(() => null))
})
