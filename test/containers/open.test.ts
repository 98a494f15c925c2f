import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { UnreadableSource } from '../../shared/containers/container.ts'
import { decodeRecords, textOf } from '../../shared/containers/decode.ts'
import { gzipPacking } from '../../shared/containers/gzip.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { packedBytes } from '../../shared/containers/packed-bytes.ts'
import { gzipped, memorySource, readAll } from './memory-source.ts'

const rows = Array.from({ length: 50 }, (_, i) => ({ n: i, text: `row ${i} — "quoted" }{][ \\`, list: [i, [i]] }))
const lines = rows.map((row) => JSON.stringify(row))

async function reasonOf(bytes: Uint8Array | string): Promise<UnreadableSource> {
  const error = await openContainer(memorySource(bytes, 100, 'thing.jsonl')).then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(UnreadableSource)
  return error as UnreadableSource
}

describe('JSONL', () => {
  const layouts: Record<string, string> = {
    LF: `${lines.join('\n')}\n`,
    CRLF: `${lines.join('\r\n')}\r\n`,
    'no last newline': lines.join('\n'),
    'CRLF without the last newline': `${lines.join('\r\n')}\r`,
    'byte order mark': `\ufeff${lines.join('\n')}\n`,
    'blank lines': `\n \n${lines.join('\n\n\t\r\n')}\n\n`,
    'joined files': `\ufeff${lines.slice(0, 9).join('\n')}\n\ufeff${lines.slice(9).join('\n')}`,
  }
  for (const [name, text] of Object.entries(layouts)) {
    test.each([1, 7, 64, 1 << 16])(`${name}, in chunks of %i`, async (chunkBytes) => {
      const read = await readAll(memorySource(text, chunkBytes))
      expect(read.id).toBe('jsonl')
      expect(read.skipped).toEqual([])
      expect(read.values).toEqual(rows)
      const bytes = new TextEncoder().encode(text)
      for (const [i, { byte, length, line, record }] of read.records.entries()) {
        expect(record).toBe(i)
        expect(new TextDecoder().decode(bytes.slice(byte, byte + length))).toBe(lines[i])
        const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.slice(0, byte))
        expect(line).toBe(before.split('\n').length)
      }
    })
  }

  test('batches hold at most batchBytes, a larger record stands alone', async () => {
    const large = JSON.stringify({ n: 'x'.repeat(5000) })
    const container = await openContainer(memorySource([...lines, large, ...lines].join('\n')))
    const seen = []
    let next = 0
    for await (const spans of container.index({ batchBytes: 1000 })) {
      expect(spans.first).toBe(next)
      next += spans.offsets.length
      const bytes = textOf(await container.read(spans)) as Uint8Array
      if (bytes.length > 1000) expect(spans.offsets).toHaveLength(1)
      seen.push(bytes.length)
    }
    expect(next).toBe(101)
    expect(seen.filter((length) => length > 1000)).toEqual([large.length])
  })

  test('one line with one object is JSONL', async () => {
    expect((await readAll(memorySource('{"a":[1,2]}'))).id).toBe('jsonl')
    expect((await readAll(memorySource('{"a":[1,2]}\n'))).id).toBe('jsonl')
  })

  test('a first line that was cut, at either end, costs only itself', async () => {
    for (const first of [
      '{"a": [1, 2',
      '3, 4], "b": 1}',
      '{"a": "b',
      'Traceback (most recent call last):',
      '\0\0\0',
      '["a":1}',
    ]) {
      const read = await readAll(memorySource(`${first}\n${lines.join('\n')}\n`))
      expect(read.id).toBe('jsonl')
      expect(read.values).toEqual(rows)
      expect(read.skipped.map(({ line, code }) => ({ line, code }))).toEqual([{ line: 1, code: 'bad-json' }])
    }
  })

  test('tells how far it is and stops when asked', async () => {
    const source = memorySource(lines.join('\n'), 100)
    const container = await openContainer(source)
    const seen: number[] = []
    for await (const _ of container.index({ batchBytes: 500, onBytes: (bytes) => seen.push(bytes) }));
    expect(seen.at(-1)).toBe(source.size)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    const stop = new AbortController()
    const walk = async () => {
      for await (const _ of container.index({ batchBytes: 500, signal: stop.signal })) stop.abort()
    }
    await expect(walk()).rejects.toThrow(/abort/i)
  })
})

describe('JSON', () => {
  test.each([1, 5, 1 << 16])('an array in any layout, in chunks of %i', async (chunkBytes) => {
    for (const text of [JSON.stringify(rows), JSON.stringify(rows, null, 2), `\ufeff[\n${lines.join(',\n')}\n]\n`]) {
      const read = await readAll(memorySource(text, chunkBytes), 300)
      expect(read.id).toBe('json')
      expect(read.skipped).toEqual([])
      expect(read.values).toEqual(rows)
      expect(read.batches).toBeGreaterThan(5)
      expect(read.records[0]?.line).toBe(null)
    }
    expect((await readAll(memorySource('[]'))).values).toEqual([])
  })

  test('a pretty-printed object, or several', async () => {
    const one = JSON.stringify(rows[0], null, 2)
    const read = await readAll(memorySource(one))
    expect(read.id).toBe('json')
    expect(read.values).toEqual([rows[0]])
    const two = await readAll(memorySource(`${one}\n${JSON.stringify(rows[1], null, 2)}\n`))
    expect(two.values).toEqual([rows[0], rows[1]])
  })

  test('elements that are no objects are skipped one by one', async () => {
    const read = await readAll(memorySource('[{"a":1}, 2, "], {", null, [3], {"a":4}]', 3))
    expect(read.values).toEqual([{ a: 1 }, { a: 4 }])
    expect(read.skipped.map(({ record, code }) => `${record} ${code}`)).toEqual([
      '1 not-an-object',
      '2 not-an-object',
      '3 not-an-object',
      '4 not-an-object',
    ])
  })

  test('everything before damage is read, one record stands for the rest', async () => {
    const cases: [text: string, good: number, reason: RegExp][] = [
      ['[{"a":1},{"a":2},{"a":', 2, /ends inside a value that begins at byte 17/],
      ['[{"a":1},{"a":2}', 2, /ends before the closing/],
      ['[{"a":1},{"a":2},', 2, /ends before the closing/],
      ['[{"a":1} {"a":2}]', 1, /at byte 9 of the file "," or "]" was expected, found "{"/],
      ['[{"a":1},,{"a":2}]', 1, /found ","/],
      ['[{"a":1}]]', 1, /the end of the file was expected/],
      ['[{"a":1},{"a":"never closed}]', 1, /ends inside a value/],
    ]
    for (const [text, good, reason] of cases) {
      const read = await readAll(memorySource(text, 4))
      expect(read.values).toHaveLength(good)
      expect(read.skipped).toHaveLength(1)
      expect(read.skipped[0]).toMatchObject({ record: good, code: 'bad-json' })
      expect(read.skipped[0]?.message).toMatch(reason)
    }
  })
})

describe('gzip', () => {
  test('is read as what is inside', async () => {
    for (const [text, id] of [
      [lines.join('\n'), 'jsonl+gzip'],
      [JSON.stringify(rows), 'json+gzip'],
    ] as const) {
      const read = await readAll(memorySource(gzipped(text), 50), 400)
      expect(read.id).toBe(id)
      expect(read.values).toEqual(rows)
    }
  })

  test('records can be read again in any order', async () => {
    const container = await openContainer(memorySource(gzipped(lines.join('\n'))))
    const batches = []
    for await (const spans of container.index({ batchBytes: 300 })) batches.push(spans)
    for (const spans of batches.reverse()) {
      const { records } = await decodeRecords(await container.read(spans), new Set())
      expect(records.map(({ value }) => value)).toEqual(rows.slice(spans.first, spans.first + records.length))
    }
  })

  test('what is no longer held is decompressed again', async () => {
    const plain = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * i) >> 7)
    const bytes = packedBytes(memorySource(gzipped(plain)), gzipPacking, { cacheBytes: 500_000 })
    let length = 0
    for await (const chunk of bytes.chunks({})) length += chunk.length
    expect(length).toBe(plain.length)
    for (const [start, end] of [
      [2_900_000, 3_000_000],
      [10, 20],
      [20, 700_000],
      [5, 6],
      [1_000_000, 1_000_001],
      [2_999_999, 3_000_100],
    ] as const) {
      expect(Buffer.compare(await bytes.slice(start, end), plain.slice(start, end))).toBe(0)
    }
  })

  test('reads that come at the same time do not disturb each other', async () => {
    const plain = Uint8Array.from({ length: 1_000_000 }, (_, i) => (i * i) >> 7)
    const bytes = packedBytes(memorySource(gzipped(plain)), gzipPacking, { cacheBytes: 1 })
    const ranges = [
      [900_000, 900_010],
      [0, 10],
      [500_000, 700_000],
      [600_000, 600_001],
    ] as const
    const read = await Promise.all(ranges.map(([start, end]) => bytes.slice(start, end)))
    for (const [i, [start, end]] of ranges.entries()) {
      expect(Buffer.compare(read[i] as Uint8Array, plain.slice(start, end))).toBe(0)
    }
  })

  test('several gzip files joined into one are read as one', async () => {
    const parts = [lines.slice(0, 20), lines.slice(20)].map((part) => gzipped(`${part.join('\n')}\n`))
    for (const chunkBytes of [1, 3, 40, 1 << 16]) {
      const read = await readAll(memorySource(new Uint8Array(Buffer.concat([...parts, gzipped('')])), chunkBytes))
      expect(read.values).toEqual(rows)
      expect(read.skipped).toEqual([])
    }
  })

  test('a gzip header inside the compressed bytes begins no other file', async () => {
    // Stored, not compressed: the bytes of the inner file stand in the outer one as they are.
    const inner = Array.from(gzipped('inner'), (byte) => String.fromCharCode(byte)).join('')
    const text = `${JSON.stringify({ inner })}\n${lines[0]}`
    const stored = new Uint8Array(
      gzipSync(
        Buffer.concat([
          Buffer.from(`${lines[1]}\n`),
          Buffer.from('{"a":"'),
          gzipped('inner'),
          Buffer.from(`"}\n${text}`),
        ]),
        { level: 0 },
      ),
    )
    const read = await readAll(memorySource(stored, 33))
    expect(read.values).toEqual([rows[1], { inner }, rows[0]])
    expect(read.skipped.map(({ code }) => code)).toEqual(['bad-json'])
  })

  test('a slice is a copy that the caller may give away', async () => {
    const bytes = packedBytes(memorySource(gzipped('abcdef')), gzipPacking)
    for await (const _ of bytes.chunks({}));
    const first = await bytes.slice(1, 3)
    structuredClone(first, { transfer: [first.buffer as ArrayBuffer] })
    expect(new TextDecoder().decode(await bytes.slice(1, 3))).toBe('bc')
  })

  test('of a stream that was cut, what came out is read and the loss is listed', async () => {
    const many = Array.from({ length: 4000 }, (_, i) => JSON.stringify({ n: i, noise: Math.sin(i) }))
    const whole = gzipped(many.join('\n'))
    for (const share of [0.3, 0.7, 0.999]) {
      const read = await readAll(memorySource(whole.slice(0, Math.floor(whole.length * share))))
      expect(read.values.length).toBeGreaterThan(4000 * share * 0.5)
      expect(read.values).toEqual(many.slice(0, read.values.length).map((line) => JSON.parse(line)))
      expect(read.skipped.at(-1)).toMatchObject({ code: 'damaged-gzip' })
      expect(read.skipped.length).toBeLessThanOrEqual(2)
      expect(read.skipped.at(-1)?.record).toBe(read.values.length + read.skipped.length - 1)
    }
  })

  const noisy = (count: number) => Array.from({ length: count }, (_, n) => JSON.stringify({ n, noise: Math.sin(n) }))
  const garbage = Uint8Array.from('\x01garbage!', (each) => each.charCodeAt(0))
  test.each([
    ['a whole member', [gzipped(noisy(4000).join('\n'))], 1 << 16, 4000],
    ['a member of many pieces', [gzipped(noisy(20_000).join('\n'))], 5000, 20_000],
    [
      'two members',
      [noisy(3000).slice(0, 1500), noisy(3000).slice(1500)].map((part) => gzipped(`${part.join('\n')}\n`)),
      999,
      3000,
    ],
  ])('of %s before bytes that are none everything is read, and they are named', async (_, members, chunk, count) => {
    const read = await readAll(memorySource(new Uint8Array(Buffer.concat([...members, garbage])), chunk))
    expect(read.values).toEqual(noisy(count).map((line) => JSON.parse(line)))
    expect(read.skipped.map(({ code, record }) => [code, record])).toEqual([['trailing-garbage', count]])
  })

  test.each([
    0, 1,
  ])('bytes that are none are told apart where a piece of %i bytes more holds them alone', async (more) => {
    const member = gzipped(noisy(4000).join('\n'))
    const read = await readAll(memorySource(new Uint8Array(Buffer.concat([member, garbage])), member.length + 3 + more))
    expect(read.values).toHaveLength(4000)
    expect(read.skipped.map(({ code }) => code)).toEqual(['trailing-garbage'])
  })

  test('of a stream with damage inside, what lies before is read', async () => {
    const many = Array.from({ length: 60_000 }, (_, i) => JSON.stringify({ n: i, noise: Math.sin(i) }))
    const damaged = gzipped(many.join('\n'))
    damaged.fill(0xff, damaged.length >> 1, (damaged.length >> 1) + 64)
    const read = await readAll(memorySource(damaged))
    expect(read.values.length).toBeGreaterThan(10_000)
    expect(read.skipped.at(-1)).toMatchObject({ code: 'damaged-gzip' })
  })
})

/** A header as safetensors has it: its length, then JSON. */
function weights(header: string): Uint8Array {
  const bytes = new Uint8Array(8 + header.length + 16)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true)
  bytes.set(new TextEncoder().encode(header), 8)
  return bytes
}

describe('what cannot be read is told in one sentence', () => {
  const cases: [name: string, bytes: Uint8Array | string, code: string][] = [
    ['nothing', '', 'empty'],
    ['blanks', ' \n\n \t', 'empty'],
    ['an empty gzip', gzipped(''), 'empty'],
    ['half a gzip header', gzipped('{}').slice(0, 6), 'damaged-gzip'],
    ['half a zip', Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0), 'cut-off'],
    ['half a zip in gzip', gzipped(Uint8Array.of(0x50, 0x4b, 3, 4, 20, 0)), 'cut-off'],
    ['half a pickle', Uint8Array.of(0x80, 4, 0x95, 0, 0), 'cut-off'],
    ['Parquet without its end', 'PAR1....', 'damaged-parquet'],
    ['half a Zstandard header', Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 1), 'damaged-zstd'],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x7b, 0), 'utf-16'],
    ['a picture', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13), 'no-rollouts'],
    ['weights', weights('{"layer.0":{"dtype":"F32"}}'), 'no-rollouts'],
    ['a log of W&B', ':W&B\u0001\u0002\u0000', 'no-rollouts'],
    ['noise', Uint8Array.from({ length: 300 }, (_, i) => (i * 37) % 256), 'binary'],
    ['prose', 'It was a dark and stormy night.\nThe end.', 'not-json'],
    ['a number', '42', 'not-json'],
    ['CSV', 'id,reward\n1,0.5\n', 'not-json'],
  ]
  test.each(cases)('%s', async (_, bytes, code) => {
    const reason = await reasonOf(bytes)
    expect(reason.code).toBe(code)
    expect(reason.message).toMatch(/^thing\.jsonl .*\.$/)
    expect(reason.message).not.toContain('\n')
  })

  test.each([
    ['null\n', 'thing.jsonl holds null and nothing else: '],
    ['42', 'thing.jsonl holds a number and nothing else: '],
    ['"null"', 'thing.jsonl holds a text in quotes and nothing else: '],
    ['nil\n', 'thing.jsonl is text, but no JSON: '],
    ['null\nnull\n', 'thing.jsonl is text, but no JSON: '],
  ])('%j is said to be what it is', async (bytes, begins) => {
    const { code, message } = await reasonOf(bytes)
    expect([code, message.slice(0, begins.length)]).toEqual(['not-json', begins])
  })
})
