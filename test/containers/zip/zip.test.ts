import { describe, expect, test } from 'vitest'
import { crc32 } from '../../../shared/containers/zip/crc32.ts'
import { isZip, openZip, type ZipLimits } from '../../../shared/containers/zip/open.ts'
import { fileSource, realData } from '../../helpers/real-data.ts'
import { memorySource } from '../memory-source.ts'
import { fixture, watched } from '../pickle/read.ts'
import { type Made, makeZip } from './make-zip.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const utf8 = (value: string) => new TextEncoder().encode(value)
const LINES = Array.from({ length: 400 }, (_, i) => `{"step": ${i}, "reward": ${i % 7}}\n`).join('')

async function open(bytes: Uint8Array, limits?: ZipLimits) {
  const archive = await openZip(memorySource(bytes), limits)
  const entryOf = (name: string) => {
    const entry = archive.entry(name)
    if (entry === undefined) throw new Error(`no entry ${name}`)
    return entry
  }
  return { ...archive, entryOf, readNamed: (name: string) => archive.read(entryOf(name)) }
}

async function all(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream as ReadableStream<BufferSource>).arrayBuffer())
}

describe('archives that Python and zip wrote', () => {
  for (const name of ['plain', 'streamed', 'prefixed']) {
    test(`${name}: stored, deflated, empty, folders, names in any script`, async () => {
      const archive = await open(fixture(`zip/${name}.zip`))
      expect(archive.entries.map((entry) => entry.name)).toEqual([
        'stored.txt',
        'deflated.jsonl',
        'noise.bin',
        'empty',
        'folder/',
        'folder/näme 日本.txt',
      ])
      expect(text(await archive.readNamed('stored.txt'))).toBe(LINES)
      expect(text(await archive.readNamed('deflated.jsonl'))).toBe(LINES)
      expect((await archive.readNamed('noise.bin')).length).toBe(3000)
      expect((await archive.readNamed('empty')).length).toBe(0)
      expect(text(await archive.readNamed('folder/näme 日本.txt'))).toBe('unicode')
      expect(archive.entryOf('folder/').directory).toBe(true)
      expect(archive.entries.every((entry) => entry.refused === null && !entry.encrypted)).toBe(true)
    })
  }

  test('zip64', async () => {
    const archive = await open(fixture('zip/zip64.zip'))
    expect(text(await archive.readNamed('deflated.jsonl'))).toBe(LINES)
    expect(crc32(await archive.readNamed('noise.bin'))).toBe(archive.entryOf('noise.bin').crc32)
  })

  test('Zstandard, in frames and blocks of all kinds', async () => {
    const archive = await open(fixture('zip/zstd.zip'))
    expect(archive.entries).toHaveLength(6)
    expect(text(await archive.readNamed('one frame'))).toBe(LINES)
    expect(text(await archive.readNamed('no checksum'))).toBe(LINES)
    expect((await archive.readNamed('old number')).length).toBe(3000)
    expect((await archive.readNamed('several frames')).length).toBe(LINES.length + 3000)
    expect(text(await archive.readNamed('many blocks'))).toBe(LINES.repeat(40))
    expect((await archive.readNamed('empty')).length).toBe(0)
  })

  test('names are names: nothing is resolved, and of two of one name the last counts', async () => {
    const archive = await open(fixture('zip/names.zip'))
    const names = ['../../etc/passwd', '/etc/passwd', 'C:\\windows\\x', 'a/../b', 'twice', 'twice', '__proto__']
    expect(archive.entries.map((entry) => entry.name)).toEqual(names)
    expect(text(await archive.readNamed('../../etc/passwd'))).toBe('../../etc/passwd\0')
    expect(text(await archive.readNamed('twice'))).toBe('twice\x05')
    expect(archive.entry('etc/passwd')).toBeUndefined()
  })

  test('what is encrypted or compressed another way is refused by name, its neighbours are read', async () => {
    const archive = await open(fixture('zip/methods.zip'))
    await expect(archive.readNamed('bzip2')).rejects.toMatchObject({
      code: 'unsupported-zip',
      message: expect.stringMatching(/“bzip2”.*BZip2/),
    })
    await expect(archive.readNamed('lzma')).rejects.toMatchObject({
      code: 'unsupported-zip',
      message: expect.stringMatching(/LZMA/),
    })
    expect(text(await archive.readNamed('deflated'))).toBe(LINES)
    const encrypted = await open(fixture('zip/encrypted.zip'))
    expect(encrypted.entries[0]?.encrypted).toBe(true)
    await expect(encrypted.readNamed('-')).rejects.toMatchObject({
      code: 'unsupported-zip',
      message: expect.stringMatching(/encrypted/),
    })
    await expect(encrypted.source(encrypted.entryOf('-'))).rejects.toMatchObject({ code: 'unsupported-zip' })
  })

  test('logs of Inspect', async ({ skip }) => {
    const path = realData('inspect/log_message_deduplication.eval')
    if (path === null) return skip('the published dumps are not here')
    const archive = await openZip(fileSource(path))
    const header = archive.entry('header.json')
    if (header === undefined) throw new Error('no header')
    expect(JSON.parse(text(await archive.read(header)))).toHaveProperty('eval')
    for (const entry of archive.entries) expect((await archive.read(entry)).length).toBe(entry.bytes)
  })
})

describe('an entry as a source', () => {
  test('a stored one is read in place, range by range', async () => {
    const { source, ranges } = watched(fixture('zip/plain.zip'))
    const archive = await openZip(source)
    const stored = archive.entry('stored.txt')
    if (stored === undefined) throw new Error('no entry')
    ranges.length = 0
    const inside = await archive.source(stored)
    expect(inside).toMatchObject({ name: 'stored.txt', size: LINES.length })
    expect(text(await inside.slice(10, 20))).toBe(LINES.slice(10, 20))
    expect(text(await inside.slice(LINES.length - 3, LINES.length + 30))).toBe(LINES.slice(-3))
    expect((await inside.slice(LINES.length + 1, LINES.length + 5)).length).toBe(0)
    expect(text(await all(inside.stream(7)))).toBe(LINES.slice(7))
    expect(ranges.slice(0, 3).map(([start, end]) => end - start)).toEqual([30, 10, 3])
  })

  test('a compressed one gives the same, from any place', async () => {
    const archive = await open(fixture('zip/plain.zip'))
    const inside = await archive.source(archive.entryOf('deflated.jsonl'))
    expect(text(await inside.slice(10, 20))).toBe(LINES.slice(10, 20))
    expect(text(await all(inside.stream()))).toBe(LINES)
    expect(text(await all(inside.stream(5000)))).toBe(LINES.slice(5000))
    const reader = inside.stream().getReader()
    await reader.read()
    await reader.cancel()
  })
})

describe('archives that lie', () => {
  const good: Made = { name: 'good', data: utf8('good') }
  const bomb = new Uint8Array(40 << 20)

  test('an entry that grows too much is refused before it is decompressed, unless a setting allows it', async () => {
    const bytes = makeZip([{ name: 'bomb', data: bomb }, good])
    expect(bytes.length).toBeLessThan(60_000)
    const archive = await open(bytes)
    await expect(archive.readNamed('bomb')).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringMatching(/“bomb” grows to 41943040 bytes/),
    })
    expect(text(await archive.readNamed('good'))).toBe('good')
    expect((await (await open(bytes, { maxRatio: 2000 })).readNamed('bomb')).length).toBe(bomb.length)
    const small = await open(bytes, { maxRatio: 2000, maxBytes: 1 << 20 })
    await expect(small.readNamed('bomb')).rejects.toMatchObject({
      code: 'too-large',
      message: expect.stringMatching(/1048576 allowed/),
    })
  })

  test('an entry that grows beyond what it says is stopped there', async () => {
    const archive = await open(makeZip([{ name: 'bomb', data: bomb, says: { bytes: 1000 } }, good]))
    await expect(archive.readNamed('bomb')).rejects.toMatchObject({
      code: 'damaged-zip',
      message: expect.stringMatching(/more than the 1000 bytes/),
    })
    expect(text(await archive.readNamed('good'))).toBe('good')
  })

  test('a Zstandard frame of endless zeros is stopped at what the entry says', async () => {
    // One frame whose every block says: the next byte, 131,071 times.
    const block = [...Array.from({ length: 2000 }, () => [0xfa, 0xff, 0x0f, 0]).flat(), 0xfb, 0xff, 0x0f, 0]
    const frame = Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x58, ...block])
    const archive = await open(makeZip([{ name: 'bomb', data: frame, method: 93, says: { bytes: 1 << 20 } }]))
    await expect(archive.readNamed('bomb')).rejects.toMatchObject({
      code: 'damaged-zip',
      message: expect.stringMatching(/more than the 1048576/),
    })
  })

  test('entries that say too little, or have another checksum', async () => {
    const lines = utf8(LINES)
    const archive = await open(
      makeZip([
        { name: 'short', data: lines, says: { bytes: lines.length + 5 } },
        { name: 'other', data: lines, says: { crc: 7 } },
        { name: 'stored', data: lines, method: 0, says: { bytes: 5 } },
      ]),
    )
    await expect(archive.readNamed('short')).rejects.toMatchObject({
      code: 'damaged-zip',
      message: expect.stringMatching(/are announced/),
    })
    await expect(archive.readNamed('other')).rejects.toMatchObject({
      code: 'damaged-zip',
      message: expect.stringMatching(/checksum/),
    })
    await expect(archive.readNamed('stored')).rejects.toMatchObject({ code: 'damaged-zip' })
  })

  test('entries that share bytes, or lie behind the archive', async () => {
    const data = utf8(LINES)
    const shared = await open(makeZip([{ name: 'a', data }, { name: 'b', data, says: { header: 0 } }, good]))
    for (const name of ['a', 'b']) {
      await expect(shared.readNamed(name)).rejects.toMatchObject({
        code: 'damaged-zip',
        message: expect.stringMatching(/overlap/),
      })
    }
    expect(text(await shared.readNamed('good'))).toBe('good')
    const overlapping = await open(makeZip([{ name: 'a', data, says: { compressed: 400 } }, good]))
    await expect(overlapping.readNamed('a')).rejects.toMatchObject({ code: 'damaged-zip' })
    const behind = await open(makeZip([{ name: 'a', data, says: { header: 1e6 } }, good]))
    await expect(behind.readNamed('a')).rejects.toMatchObject({
      code: 'damaged-zip',
      message: expect.stringMatching(/behind the archive/),
    })
    expect(text(await behind.readNamed('good'))).toBe('good')
    const bytes = makeZip([{ name: 'a', data }])
    bytes[0] = 0
    const elsewhere = await open(bytes)
    await expect(elsewhere.readNamed('a')).rejects.toMatchObject({
      code: 'damaged-zip',
      message: expect.stringMatching(/where the directory says/),
    })
  })

  test('a directory that does not fit', async () => {
    await expect(open(makeZip([good], { count: 2 }))).rejects.toMatchObject({
      code: 'damaged-zip',
      message: expect.stringMatching(/2 files/),
    })
    await expect(open(makeZip([good], { size: 1e6 }))).rejects.toMatchObject({ code: 'damaged-zip' })
    await expect(open(makeZip([good], { size: 3 }))).rejects.toMatchObject({ code: 'damaged-zip' })
    await expect(open(makeZip([good], { offset: 1e6 }))).rejects.toMatchObject({ code: 'damaged-zip' })
    await expect(open(utf8('no archive at all'))).rejects.toMatchObject({ code: 'cut-off' })
    await expect(open(new Uint8Array(0))).rejects.toMatchObject({ code: 'cut-off', at: 0 })
    const parts = makeZip([good])
    parts[parts.length - 18] = 1
    await expect(open(parts)).rejects.toMatchObject({
      code: 'unsupported-zip',
      message: expect.stringMatching(/several parts/),
    })
  })

  test('an archive with nothing in it', async () => {
    const empty = makeZip([])
    expect((await open(empty)).entries).toEqual([])
    expect(isZip(empty)).toBe(true)
    expect(isZip(fixture('zip/plain.zip'))).toBe(true)
    expect(isZip(utf8('PK'))).toBe(false)
  })
})
