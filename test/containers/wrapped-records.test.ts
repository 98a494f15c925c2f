import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../shared/containers/container.ts'
import { decodeRecords } from '../../shared/containers/decode.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { listKeyOf, unwrapped } from '../../shared/containers/wrapped-records.ts'
import { exactly } from './exactly.ts'
import { memorySource } from './memory-source.ts'

/** The records of a text that is one object around a list, with the text that each of them takes. */
async function unwrappedOf(text: string, batchBytes = 1 << 20) {
  const container = await openContainer(memorySource(text, 7))
  const [wrapper] = await recordsOf(container)
  const key = listKeyOf(wrapper!.value)
  if (key === null) return null
  const inner = unwrapped(container, wrapper!, key)
  const records = await recordsOf(inner, batchBytes)
  const bytes = new TextEncoder().encode(text)
  return {
    notes: inner.notes,
    values: records.map(({ value }) => value),
    numbers: records.map(({ record }) => record),
    texts: records.map(({ byte, length }) => new TextDecoder().decode(bytes.slice(byte, byte + length))),
  }
}

async function recordsOf(container: Awaited<ReturnType<typeof openContainer>>, batchBytes = 1 << 20) {
  const records = []
  for await (const spans of container.index({ batchBytes })) {
    records.push(...(await decodeRecords(await container.read(spans), new Set())).records)
  }
  return records
}

describe('the list inside one object', () => {
  it('is found where it is the only one, and what stands beside it is named', async () => {
    const found = await unwrappedOf('{"step": 3, "rollouts": [ {"a": "]},{"},\n {"b": {"c": [1, 2]}} ] , "model": "x"}')
    expect(found?.texts).toEqual(['{"a": "]},{"}', '{"b": {"c": [1, 2]}}'])
    expect(found?.notes).toEqual([
      'its records are the list under "rollouts" of its one object; what stands beside it is not read (step, model)',
    ])
  })

  it.each([
    ['an object without a list', '{"a": {"b": [{}]}}'],
    ['an object of two lists', '{"a": [{}], "b": [{}]}'],
    ['a list of numbers', '{"a": [1, 2]}'],
    ['a list that holds more than objects', '{"a": [{}, null]}'],
    ['an empty list', '{"a": []}'],
  ])('is not %s', async (_, text) => {
    expect(await unwrappedOf(text)).toBe(null)
  })

  it('gives what the JSON holds, whatever stands in its texts, spaces and numbers, in batches of any size', async () => {
    const record = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
    const rest = fc.dictionary(
      fc.string().filter((key) => key !== 'list' && !/^\d+$/.test(key)),
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
      { noNullPrototype: true },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 5 }),
        rest,
        fc.constantFrom(undefined, 1, '\t'),
        fc.integer({ min: 1, max: 60 }),
        async (records, before, indent, batchBytes) => {
          const text = JSON.stringify({ ...before, list: records }, null, indent)
          const found = await unwrappedOf(text, batchBytes)
          const parsed = exactly(text) as { list: JsonObject[] }
          expect(found?.values).toEqual(parsed.list)
          expect(found?.numbers).toEqual(records.map((_, i) => i))
        },
      ),
    )
  })
})
