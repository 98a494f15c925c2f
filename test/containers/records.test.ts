import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ParsedRecords, RawRecord, RecordSpans } from '../../shared/containers/container.ts'
import { parseInPortions, parseRecords } from '../../shared/containers/records.ts'
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

describe('parseInPortions', () => {
  const text = '{"ids":[1,2]}\n{"ids":[1,}\n{"ids":[3]}\n[1]\n{"ids":[4,5,6]}'

  test.each([1, 2, 4, 5, 100])('gives what is parsed at once, %i records at a time', (most) => {
    const whole = parseRecords(encoder.encode(text), spansOf(text), NUMERIC)
    const sizes: number[] = []
    const records: unknown[] = []
    const skipped: unknown[] = []
    for (const portion of parseInPortions(encoder.encode(text), spansOf(text), NUMERIC, most)) {
      sizes.push(portion.records.length + portion.skipped.length)
      records.push(...portion.records.map(asLists))
      skipped.push(...portion.skipped)
    }
    expect(records).toEqual(whole.records.map(asLists))
    expect(skipped).toEqual(whole.skipped)
    expect(sizes).toEqual(Array.from({ length: Math.ceil(5 / most) }, (_, i) => Math.min(most, 5 - i * most)))
  })

  test('parses nothing before it is asked for, and gives the room of each portion to the next', () => {
    const portions = parseInPortions(encoder.encode(text), spansOf(text), NUMERIC, 2)
    const ids = () => {
      const { records } = portions.next().value as ParsedRecords
      return ((records[0] as RawRecord).value as { ids: Int32Array }).ids
    }
    const first = ids()
    expect([...first]).toEqual([1, 2])
    const second = ids()
    expect([...second]).toEqual([3])
    expect([...first]).toEqual([3, 2])
  })
})

/** A copy, which stands when the portion no longer does. */
function asLists(record: RawRecord) {
  return { ...record, value: { ids: [...(record.value as { ids: Int32Array }).ids] } }
}
