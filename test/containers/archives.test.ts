import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expandArchive } from '../../shared/containers/archive/expand.ts'
import { openContainer } from '../../shared/containers/open.ts'
import { tarHeader, tarred, zipped } from './archives.ts'
import { gzipped, memorySource, readAll } from './memory-source.ts'

const lines = Array.from({ length: 40 }, (_, i) => JSON.stringify({ n: i, text: 'x'.repeat(i) })).join('\n')
const long = `${'deep/'.repeat(30)}step_3.jsonl`
const files = { 'step_1.jsonl': lines, 'sub/step_2.jsonl': gzipped(lines), [long]: lines, 'pax/ünicode.jsonl': lines }
const noise = { '__MACOSX/._step_1.jsonl': 'x', '.DS_Store': 'x', 'sub/': '' }

const archives: [string, () => Uint8Array][] = [
  ['zip', () => zipped({ ...noise, ...files })],
  ['zip without compression', () => zipped({ ...files, ...noise }, true)],
  ['tar', () => tarred({ ...noise, ...files })],
  ['tar in gzip', () => gzipped(tarred({ ...files, ...noise }))],
]

describe('archives', () => {
  test.each(archives)('%s: every file in it is a source', async (_, bytes) => {
    const { sources, problems } = await expandArchive(memorySource(bytes(), 700, 'run.any'))
    expect(problems).toEqual([])
    expect(sources.map(({ name }) => name)).toEqual(
      [long, 'pax/ünicode.jsonl', 'step_1.jsonl', 'sub/step_2.jsonl'].map((name) => `run.any › ${name}`),
    )
    for (const source of sources) {
      const { id, values, skipped } = await readAll(source)
      expect(id).toBe(source.name.includes('step_2') ? 'jsonl+gzip' : 'jsonl')
      expect(values).toHaveLength(40)
      expect(skipped).toEqual([])
    }
  })

  test.each(archives)('%s: records are read again in any order', async (_, bytes) => {
    const { sources } = await expandArchive(memorySource(bytes(), 700))
    const container = await openContainer(sources[0]!)
    const batches = []
    for await (const spans of container.index({ batchBytes: 100 })) batches.push(spans)
    for (const spans of batches.reverse()) {
      const [text] = (await container.read(spans)).bytes
      expect(new TextDecoder().decode(text)).toContain(`{"n":${spans.first},`)
    }
  })

  test.each([
    zipped,
    tarred,
    (of: Parameters<typeof tarred>[0]) => gzipped(tarred(of)),
  ])('are told in the order of steps, in whichever they stand in the archive (%#)', async (packed) => {
    const bytes = packed({ 'run/13.jsonl': lines, 'run/2.jsonl': lines, 'run/1.jsonl': lines })
    const { sources } = await expandArchive(memorySource(bytes, 700, 'a'))
    expect(sources.map(({ name }) => name)).toEqual(['a › run/1.jsonl', 'a › run/2.jsonl', 'a › run/13.jsonl'])
  })

  test('anything else is itself', async () => {
    for (const bytes of ['{"a": 1}', gzipped('{"a": 1}'), Uint8Array.of(1, 2, 3), new Uint8Array(0)]) {
      const source = memorySource(bytes)
      expect(await expandArchive(source)).toEqual({ sources: [source], problems: [] })
    }
  })

  test('an archive in an archive is opened, one in that is not', async () => {
    const inner = zipped({ 'a.jsonl': lines })
    const two = await expandArchive(
      memorySource(zipped({ 'inner.tar': tarred({ 'inner.zip': inner }) }), 999, 'out.zip'),
    )
    expect(two.sources).toEqual([])
    expect(two.problems).toHaveLength(1)
    expect(two.problems[0]).toMatchObject({ code: 'too-deep', name: 'out.zip › inner.tar › inner.zip' })
    const one = await expandArchive(memorySource(zipped({ 'inner.zip': inner, 'b.jsonl': lines }), 999, 'out.zip'))
    expect(one.sources.map(({ name }) => name)).toEqual(['out.zip › b.jsonl', 'out.zip › inner.zip › a.jsonl'])
  })

  test('archives in an archive hold no more files than one may, however many there are of them', async () => {
    const many = Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`${i}.jsonl`, '']))
    const inner = zipped(many, true)
    const bytes = gzipped(tarred({ 'a.zip': inner, 'b.zip': inner, 'c.zip': inner, 'd.zip': inner, 'e.jsonl': lines }))
    const { sources, problems } = await expandArchive(memorySource(bytes, 1 << 20, 'out.tar.gz'))
    expect(sources.length).toBeLessThanOrEqual(20_000)
    expect(sources.at(-1)?.name).toBe('out.tar.gz › e.jsonl')
    expect(problems.map(({ message }) => message)).toEqual([
      'out.tar.gz › c.zip is an archive, and it holds 9000 files, of which the first 1995 are read.',
      'out.tar.gz › d.zip is an archive, and the archive that it is in holds too many files. Unpack it.',
    ])
  })

  test('a tar archive that was cut off in a file gives those before it, and says how much of it is there', async () => {
    const whole = tarred({ 'a.jsonl': lines, 'b.jsonl': lines })
    // Two blocks of zeros end it, and the last file has a header and less than three blocks.
    const cut = whole.subarray(0, whole.length - 1024 - 512)
    const { sources, problems } = await expandArchive(memorySource(cut, 999, 'run.tar'))
    expect(sources.map(({ name }) => name)).toEqual(['run.tar › a.jsonl'])
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^run\.tar is an archive, and the archive ends inside the file at byte \d+: \d+ bytes are declared, \d+ are there\.$/,
      ),
    ])
  })

  test('a packed tar archive gives no more than is allowed', async () => {
    const bytes = gzipped(tarred({ 'a.jsonl': lines.repeat(1000) }))
    const allowed = await expandArchive(memorySource(bytes, 999, 'run.tar.gz'))
    expect(allowed.sources).toHaveLength(1)
    const { sources, problems } = await expandArchive(memorySource(bytes, 999, 'run.tar.gz'), { maxUnpacked: 4096 })
    expect(sources).toEqual([])
    expect(problems).toMatchObject([{ code: 'unpacked-limit', message: expect.stringContaining('--max-unpacked') }])
  })

  test('folders without end in a tar archive are not gone through to theirs', async () => {
    const folder = tarred({ 'folder/': '' }).subarray(0, 512)
    const bytes = new Uint8Array(512 * 200_000)
    for (let at = 0; at < bytes.length; at += 512) bytes.set(folder, at)
    const { sources, problems } = await expandArchive(memorySource(bytes, 1 << 20, 'folders.tar'))
    expect(sources).toEqual([])
    expect(problems.map(({ message }) => message)).toEqual([
      'folders.tar is an archive, and it holds 160002 headers; the rest is not read.',
    ])
  })

  test.each([
    ['in the way of GNU', () => tarHeader('run.jsonl', 512, 'S')],
    [
      'in the way of POSIX',
      () => {
        const fields = '22 GNU.sparse.major=1\n29 GNU.sparse.name=run.jsonl\n'
        const block = Buffer.alloc(512)
        block.write(fields)
        return Buffer.concat([tarHeader('header', fields.length, 'x'), block, tarHeader('GNUSparseFile.0', 512, '0')])
      },
    ],
  ])('a file that is kept without its holes is named and not read: %s', async (_, header) => {
    const neighbour = tarred({ 'other.jsonl': lines })
    const bytes = new Uint8Array(Buffer.concat([header(), Buffer.alloc(512, '1\n0\n512\n'), neighbour]))
    const { sources, problems } = await expandArchive(memorySource(bytes, 999, 'run.tar'))
    expect(sources.map(({ name }) => name)).toEqual(['run.tar › other.jsonl'])
    expect(problems).toMatchObject([{ name: 'run.tar › run.jsonl', code: 'sparse' }])
  })

  test('files behind one of many stretches are read', async () => {
    const header = tarHeader('run.jsonl', 512, 'S')
    header[482] = 1
    header.write('        ', 148)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    const stretches = [Buffer.alloc(512), Buffer.alloc(512)]
    stretches[0]![504] = 1
    const bytes = new Uint8Array(
      Buffer.concat([header, ...stretches, Buffer.alloc(512, 'x'), tarred({ 'other.jsonl': lines })]),
    )
    const { sources, problems } = await expandArchive(memorySource(bytes, 999, 'run.tar'))
    expect(sources.map(({ name }) => name)).toEqual(['run.tar › other.jsonl'])
    expect(problems).toMatchObject([{ name: 'run.tar › run.jsonl', code: 'sparse' }])
  })

  test('an empty one says so', async () => {
    for (const bytes of [zipped({}), tarred({ 'folder/': '' })]) {
      const { sources, problems } = await expandArchive(memorySource(bytes, 100, 'thing'))
      expect(sources).toEqual([])
      expect(problems[0]?.message).toBe('thing is an archive without a file in it.')
    }
  })

  test.each([
    ['zip', zipped],
    ['tar', tarred],
  ])('a file whose name leads out of it is named, and not read: %s', async (kind, pack) => {
    const name = `run.${kind}`
    const told = (names: string) =>
      `${name} is an archive with ${names}. Pack the files again under names without "..".`
    const of = (files: Record<string, string>) => expandArchive(memorySource(new Uint8Array(pack(files)), 999, name))
    const alone = await of({ '../../evil.jsonl': lines })
    expect(alone).toEqual({
      sources: [],
      problems: [
        expect.objectContaining({
          code: 'unsafe-name',
          message: told('a file whose name leads out of it, which is not read: "../../evil.jsonl"'),
        }),
      ],
    })
    const beside = await of({
      'a/../../\u001b[1mb.jsonl': lines,
      '..': lines,
      'good..jsonl': lines,
      '.x/a.jsonl': lines,
    })
    expect(beside.sources.map((source) => source.name)).toEqual([`${name} › good..jsonl`])
    expect(beside.problems.map(({ message }) => message)).toEqual([
      told('2 files whose name leads out of it, which are not read: "a/../../\\u001b[1mb.jsonl", ".."'),
    ])
    const hidden = await of({ '.cache/a.jsonl': lines, '._b.jsonl': lines })
    expect(hidden.problems.map(({ message }) => message)).toEqual([
      `${name} is an archive without a file in it, but for hidden ones, which are left out: ".cache/a.jsonl", "._b.jsonl".`,
    ])
  })

  test('what is wrong, and what to do, is said once', async () => {
    const cut = zipped(files).subarray(0, -30)
    const limited = zipped({ 'large.jsonl': lines.repeat(100) })
    const told = [
      ...(await expandArchive(memorySource(cut, 700, 'cut.zip'))).problems,
      ...(await expandArchive(memorySource(zipped({ 'cut.zip': cut }), 700, 'a.zip'))).problems,
      ...(await expandArchive(memorySource(limited, 700, 'large.zip'), { maxUnpacked: 10 })).problems,
    ].map(({ message }) => message)
    expect(told).toEqual([
      expect.stringMatching(
        /^cut\.zip is an archive that cannot be read: byte \d+: .*\. The archive was cut short [^.]*\.$/,
      ),
      expect.stringMatching(
        /^a\.zip › cut\.zip is an archive that cannot be read: .*\. The archive was cut short [^.]*\.$/,
      ),
      expect.stringMatching(/^large\.zip › large\.jsonl cannot be read: .*\. If you trust the archive, [^.]*\.$/),
    ])
  })

  test('a file that grows too much costs itself and not its neighbours', async () => {
    const bytes = zipped({ 'a.jsonl': lines, 'bomb.jsonl': 'a'.repeat(50_000_000), 'b.jsonl': lines })
    const { sources, problems } = await expandArchive(memorySource(bytes, 5000, 'run.zip'))
    expect(sources.map(({ name }) => name)).toEqual(['run.zip › a.jsonl', 'run.zip › b.jsonl'])
    expect(problems.map(({ name, code }) => [name, code])).toEqual([['run.zip › bomb.jsonl', 'too-large']])
    const allowed = await expandArchive(memorySource(bytes), { maxUnpacked: 60_000_000 })
    expect(allowed.sources).toHaveLength(3)
  })

  test('a damaged file in an archive is read up to the damage', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => JSON.stringify({ n: i, noise: Math.sin(i) })).join('\n')
    const bytes = zipped({ 'a.jsonl': many, 'b.jsonl': lines })
    bytes.fill(0xff, 30_000, 30_020)
    const { sources } = await expandArchive(memorySource(bytes))
    const first = await readAll(sources[0]!)
    expect(first.values.length).toBeGreaterThan(100)
    expect(first.skipped.at(-1)?.code).toMatch(/zip/)
    expect((await readAll(sources[1]!)).values).toHaveLength(40)
  })

  test.each(
    archives,
  )('%s: cut or with a flipped byte it is read in part or refused, and nothing is thrown', async (_, make) => {
    const whole = make()
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 0, max: 255 }), async (at, flip) => {
        const damaged = flip === 0 ? whole.slice(0, at) : whole.slice()
        if (flip !== 0) damaged[at] = (damaged[at] as number) ^ flip
        const { sources, problems } = await expandArchive(memorySource(damaged, 1 << 16, 'run'))
        expect(sources.length + problems.length).toBeGreaterThan(0)
        for (const source of sources) {
          const read = await readAll(source).catch((error: Error) => error)
          if (read instanceof Error) expect(read.name).toBe('UnreadableSource')
        }
      }),
      { numRuns: 120, seed: 3 },
    )
  })
})
