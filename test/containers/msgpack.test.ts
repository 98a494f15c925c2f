import { ExtData, encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openContainer } from '../../shared/containers/open.ts'
import { gzipped, memorySource, readAll } from './memory-source.ts'
import { expectTwin } from './twin.ts'

const rows = Array.from({ length: 20 }, (_, i) => ({
  id: `row ${i}`,
  input_ids: Array.from({ length: 30 + i }, (_, t) => t * 5000 + i),
  logprobs: Array.from({ length: 30 + i }, (_, t) => -t / 64 - 1 / 128),
  done: i % 2 === 0,
  nested: { text: '“é”', list: [{ a: 1 }, { a: null }] },
}))
const twin = new TextEncoder().encode(rows.map((row) => JSON.stringify(row)).join('\n'))
const joined = (values: readonly unknown[]) => new Uint8Array(Buffer.concat(values.map((value) => encode(value))))

describe('MessagePack', () => {
  test('a list of maps is a record for each', async () => {
    await expectTwin(encode(rows), twin, 'msgpack')
    await expectTwin(gzipped(encode(rows)), twin, 'msgpack+gzip')
  })

  test('so are maps one after another', async () => {
    await expectTwin(joined(rows), twin, 'msgpack')
  })

  test('a struct written by position is an object of numbered fields', async () => {
    const structs = [
      [[1, 2, 3], [true, false, true], [0.5, -1.5, 0.25], 'env'],
      [[4, 5], [false, true], [null, 2.5], 'other'],
    ]
    const fields = (ids: number[], mask: number[], logprobs: number[], env: string) => ({
      '0': Int32Array.from(ids),
      '1': Int32Array.from(mask),
      '2': Float64Array.from(logprobs),
      '3': env,
    })
    const values = [
      fields([1, 2, 3], [1, 0, 1], [0.5, -1.5, 0.25], 'env'),
      fields([4, 5], [0, 1], [Number.NaN, 2.5], 'other'),
    ]
    expect((await readAll(memorySource(encode(structs)))).values).toEqual(values)
    // One struct whose fields are not all lists is one record, whatever it holds.
    const [batch] = (await readAll(memorySource(encode([structs, 1.0, 12, null])))).values
    expect(Object.keys(batch as object)).toEqual(['0', '1', '2', '3'])
    expect(batch).toMatchObject({ '1': 1, '2': 12, '3': null })
  })

  test('a single map is one record', async () => {
    expect((await readAll(memorySource(encode(rows[0])))).records).toHaveLength(1)
  })

  test('integers of 64 bits, bytes and extensions are plain values', async () => {
    const record = {
      small: 7n,
      big: 2n ** 60n + 1n,
      ids: [1n, 2n ** 40n],
      text: new TextEncoder().encode('plain'),
      blob: Uint8Array.of(0xff, 0xfe, 0),
      custom: new ExtData(42, Uint8Array.of(1, 2, 3)),
      time: new Date(0),
    }
    const { values } = await readAll(memorySource(encode(record, { useBigInt64: true })))
    expect(values).toEqual([
      {
        small: 7,
        big: '1152921504606846977',
        ids: Float64Array.of(1, 2 ** 40),
        text: 'plain',
        blob: { bytes: 3 },
        custom: { extension: 42, bytes: 3 },
        time: { extension: -1, bytes: 4 },
      },
    ])
  })

  test('a key named __proto__ costs its record and nothing else', async () => {
    const bytes = joined([{ a: 1 }, { ['__proto__']: { polluted: true } }, { a: 3 }])
    const { values, skipped } = await readAll(memorySource(bytes))
    expect(values.at(-1)).toEqual({ a: 3 })
    expect(values.length + skipped.length).toBe(3)
    expect('polluted' in {}).toBe(false)
  })

  test('what only begins like it is not taken for it', async () => {
    const others: [string, Uint8Array, 'binary' | 'no-rollouts'][] = [
      ['a NumPy array', new Uint8Array(Buffer.from("\x93NUMPY\x01\x00v\x00{'descr': '<f4'}", 'latin1')), 'binary'],
      ['a picture', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13), 'no-rollouts'],
      ['numbers', encode([1, 2, 3]), 'binary'],
      ['noise', Uint8Array.from({ length: 400 }, (_, i) => (i * 7919 + 129) & 255), 'binary'],
    ]
    for (const [name, bytes, expected] of others) {
      const code = await openContainer(memorySource(bytes)).then(
        ({ id }) => id,
        (error: { code: string }) => error.code,
      )
      expect([name, code]).toEqual([name, expected])
    }
  })

  test('cut at any byte, what lies before is read and the loss has its place', async () => {
    for (const whole of [encode(rows.slice(0, 5)), joined(rows.slice(0, 5))]) {
      for (let length = 1; length < whole.length; length++) {
        const read = await readAll(memorySource(whole.slice(0, length))).catch((error: { code: string }) => error.code)
        if (typeof read === 'string') {
          // Nothing is left that could be told from any other bytes.
          expect(length).toBeLessThan(10)
          continue
        }
        const { values, skipped } = read
        const first = values.length
        expect(values.map((value) => (value as { id: string }).id)).toEqual(rows.slice(0, first).map(({ id }) => id))
        if (length < whole.length && first < 5 && skipped.length > 0) {
          expect(skipped).toHaveLength(1)
          expect(skipped[0]).toMatchObject({ code: 'bad-msgpack', record: first })
        } else expect(whole[0]).not.toBe(0x95)
      }
    }
  })

  test('with a flipped byte records are read or skipped, and nothing is thrown', async () => {
    const whole = encode(rows.slice(0, 6))
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const damaged = whole.slice()
        damaged[at] = (damaged[at] as number) ^ flip
        const read = await readAll(memorySource(damaged)).catch((error: Error) => error)
        if (read instanceof Error) expect(read.name).toBe('UnreadableSource')
        else expect(read.values.length + read.skipped.length).toBeGreaterThan(0)
      }),
      { numRuns: 600, seed: 5 },
    )
  })

  test('a gigantic length and 10,000 levels are told, not made', async () => {
    const gigantic = Uint8Array.of(0x81, 0xa1, 0x61, 0xdd, 0xff, 0xff, 0xff, 0xff, 1)
    const deep = new Uint8Array(
      Buffer.concat([Uint8Array.of(0x81, 0xa1, 0x61), Buffer.alloc(10_000, 0x91), Uint8Array.of(1)]),
    )
    const { values, skipped } = await readAll(
      memorySource(new Uint8Array(Buffer.concat([deep, encode(rows[0]), gigantic]))),
    )
    expect(values).toHaveLength(1)
    expect(skipped.map(({ record, code }) => [record, code])).toEqual([
      [0, 'bad-msgpack'],
      [2, 'bad-msgpack'],
    ])
    expect(skipped[0]?.message).toContain('nested deeper')
    expect(skipped[1]?.message).toContain('more values are declared')
  })
})
