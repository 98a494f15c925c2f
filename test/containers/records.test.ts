import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RecordSpans } from '../../shared/containers/container.ts'
import { parseRecords } from '../../shared/containers/records.ts'
import { memorySource, readAll } from './memory-source.ts'

const encoder = new TextEncoder()
const NUMERIC = new Set(['ids', 'mask'])

/** The spans of a text of lines, found the simple way. */
function spansOf(text: string): RecordSpans {
  const rows = text.split('\n')
  const lengths = rows.map((row) => encoder.encode(row).length)
  let offset = 0
  const offsets = lengths.map((length) => {
    const at = offset
    offset += length + 1
    return at
  })
  return {
    first: 0,
    lines: Float64Array.from(rows, (_, i) => i + 1),
    offsets: Float64Array.from(offsets),
    lengths: Float64Array.from(lengths),
  }
}

describe('parseRecords', () => {
  test('skips a bad record with its place and reason, and reads its neighbours', () => {
    const text = '{"a":1}\n{"a":[1,}\n[1]\n"x"\n{"a":2}'
    const { records, skipped } = parseRecords(encoder.encode(text), spansOf(text), NUMERIC)
    expect(records.map(({ record, line, byte, value }) => ({ record, line, byte, value }))).toEqual([
      { record: 0, line: 1, byte: 0, value: { a: 1 } },
      { record: 4, line: 5, byte: 26, value: { a: 2 } },
    ])
    expect(skipped).toEqual([
      { record: 1, line: 2, byte: 8, code: 'bad-json', message: 'at byte 9 of 9: a value was expected, found "}"' },
      {
        record: 2,
        line: 3,
        byte: 18,
        code: 'not-an-object',
        message: 'a record is an object in braces, this is a list',
      },
      {
        record: 3,
        line: 4,
        byte: 22,
        code: 'not-an-object',
        message: 'a record is an object in braces, this is a text',
      },
    ])
  })

  test('gives equal records equal hashes, wherever they stand', () => {
    const text = '{"a":1}\n{"a":2}\n{"a":1}'
    const { records } = parseRecords(encoder.encode(text), spansOf(text), NUMERIC)
    const [first, second, third] = records.map(({ hash }) => hash)
    expect(first).toMatch(/^[0-9a-f]{16}$/)
    expect(third).toBe(first)
    expect(second).not.toBe(first)
  })

  test('never throws on damaged bytes: what is present is read or skipped', async () => {
    const rows = Array.from({ length: 6 }, (_, i) =>
      JSON.stringify({ ids: [1, 2, 3 + i], mask: [true, 0.5, null], text: 'é\n"quoted"', deep: { list: [[1], {}] } }),
    )
    const whole = encoder.encode(rows.join('\n'))
    const damage = fc.array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    })
    fc.assert(
      fc.property(damage, (changes) => {
        const bytes = whole.slice()
        for (const [at, byte] of changes) bytes[at] = byte
        const spans = spansOf(rows.join('\n'))
        const { records, skipped } = parseRecords(bytes, spans, NUMERIC)
        expect(records.length + skipped.length).toBe(rows.length)
      }),
      { numRuns: 3000 },
    )
    await fc.assert(
      fc.asyncProperty(damage, fc.boolean(), async (changes, asArray) => {
        const bytes = asArray ? encoder.encode(`[${rows.join(',\n')}]`) : whole.slice()
        // The first bytes may make another kind of file of it.
        for (const [at, byte] of changes) bytes[Math.max(at, 2) + (asArray ? 1 : 0)] = byte
        const { records, skipped } = await readAll(memorySource(bytes, 37), 100, NUMERIC)
        const numbers = [...records, ...skipped].map(({ record }) => record).sort((a, b) => a - b)
        expect(numbers).toEqual(numbers.map((_, i) => i))
      }),
      { numRuns: 300 },
    )
  })

  test('reads no further than the bytes that came', () => {
    const text = '{"a":1}\n{"a":2}'
    const { records, skipped } = parseRecords(encoder.encode(text).slice(0, 10), spansOf(text), NUMERIC)
    expect(records).toHaveLength(1)
    expect(skipped[0]?.code).toBe('bad-json')
  })
})
