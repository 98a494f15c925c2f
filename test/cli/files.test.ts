import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MemorySource, NodeFileSource } from '../../cli/byte-sources.ts'
import { findFiles, openPaths } from '../../cli/files.ts'
import type { CommandIo } from '../../cli/io.ts'
import { readElsewhere } from '../../cli/read-elsewhere.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-files-'))
  for (const path of ['run/step_1', 'run/step_2', 'run/.hidden', 'run/node_modules/x', 'empty', 'steps']) {
    await mkdir(join(folder, path), { recursive: true })
  }
  for (const path of [
    'run/b.jsonl',
    'run/a.jsonl',
    'run/step_1/rollouts.jsonl',
    'run/step_2/rollouts.jsonl.gz',
    'run/.hidden/no.jsonl',
    'run/.no.jsonl',
    'run/node_modules/x/no.jsonl',
    'steps/step_10.jsonl',
    'steps/step_2.jsonl',
    'steps/step_1.jsonl',
    'odd[1].jsonl',
  ]) {
    await writeFile(join(folder, path), path)
  }
  await mkdir(join(folder, 'linked'))
  await writeFile(join(folder, 'linked', 'step_9.jsonl'), '9')
  for (const name of ['latest.jsonl', 'best.jsonl']) await symlink('step_9.jsonl', join(folder, 'linked', name))
  for (const name of ['a.jsonl', 'also-a.jsonl']) {
    await symlink(join(folder, 'run', 'a.jsonl'), join(folder, 'linked', name))
  }
  await symlink(join(folder, 'run'), join(folder, 'run', 'step_1', 'loop'))
  await mkdir(join(folder, 'links'))
  await symlink(join(folder, 'run', 'step_2'), join(folder, 'links', 'latest'))
  await symlink(join(folder, 'run'), join(folder, 'links', 'folder.jsonl'))
  await symlink(join(folder, 'run', 'a.jsonl'), join(folder, 'links', 'file.jsonl'))
})

afterAll(() => rm(folder, { recursive: true }))

const names = async (path: string) => (await findFiles(path, folder)).map(({ name }) => name)

const io = (stdin: string[] = []): CommandIo => ({
  stdout: { write() {} },
  stderr: { write() {} },
  stdin: (async function* () {
    for (const text of stdin) yield new TextEncoder().encode(text)
  })(),
  env: {},
  directory: folder,
})

describe('what a person names', () => {
  test('a folder is walked in order, without what is hidden, and once round a loop of links', async () => {
    expect(await names('run')).toEqual(['a.jsonl', 'b.jsonl', 'step_1/rollouts.jsonl', 'step_2/rollouts.jsonl.gz'])
  })

  test.each([
    ['run/*.jsonl', ['a.jsonl', 'b.jsonl']],
    ['run/step_?/rollouts.jsonl*', ['step_1/rollouts.jsonl', 'step_2/rollouts.jsonl.gz']],
    ['run/**/rollouts.*', ['step_1/rollouts.jsonl', 'step_2/rollouts.jsonl.gz']],
    ['run/[ab].jsonl', ['a.jsonl', 'b.jsonl']],
    ['run/*_2', ['rollouts.jsonl.gz']],
    ['run/[a_s]*[2l]', ['a.jsonl', 'step_2/rollouts.jsonl.gz']],
    ['run/{step_2,step_2/rollouts.jsonl.gz}', ['rollouts.jsonl.gz']],
    ['links/*/rollouts.*', ['rollouts.jsonl.gz']],
    ['links/*.jsonl', ['file.jsonl']],
    ['links/**', ['file.jsonl']],
    ['steps', ['step_1.jsonl', 'step_2.jsonl', 'step_10.jsonl']],
    ['steps/*.jsonl', ['step_1.jsonl', 'step_2.jsonl', 'step_10.jsonl']],
    ['run/[!a].jsonl', ['b.jsonl']],
    ['run/{b,step_1/rollouts}.jsonl', ['b.jsonl', 'step_1/rollouts.jsonl']],
  ])('%s', async (pattern, expected) => {
    expect(await names(pattern)).toEqual(expected)
  })

  test('a link to a file is that file once more, and is left out where the folder has it', async () => {
    expect(await names('linked')).toEqual(['a.jsonl', 'step_9.jsonl'])
    // A person who names a link means it.
    expect(await names('linked/latest.jsonl')).toEqual(['latest.jsonl'])
  })

  test('a file whose name looks like a pattern is that file', async () => {
    expect(await names('odd[1].jsonl')).toEqual(['odd[1].jsonl'])
  })

  test('the folder that a pattern is meant from is none of the pattern', async () => {
    const here = join(folder, 'try [2] {a,b}')
    await mkdir(join(here, 'steps'), { recursive: true })
    for (const path of ['a.jsonl', 'steps/b.jsonl']) await writeFile(join(here, path), path)
    const found = async (pattern: string) => (await findFiles(pattern, here)).map(({ path }) => path)
    expect(await found('*.jsonl')).toEqual([join(here, 'a.jsonl')])
    expect(await found('./**/*.jsonl')).toEqual([join(here, 'a.jsonl'), join(here, 'steps', 'b.jsonl')])
    expect(await found('steps/../{a,c}.jsonl')).toEqual([join(here, 'a.jsonl')])
    expect(await found('../run/[ab].jsonl/')).toEqual([join(folder, 'run', 'a.jsonl'), join(folder, 'run', 'b.jsonl')])
    expect(await found(join(folder, 'steps', 'step_?.jsonl'))).toHaveLength(2)
  })

  test('what is not there is said', async () => {
    await expect(names('run/[z-a].jsonl')).rejects.toThrow('run/[z-a].jsonl matches no file.')
    await expect(names('nowhere.jsonl')).rejects.toThrow('nowhere.jsonl does not exist. Check the path.')
    await expect(names('run/*.parquet')).rejects.toThrow('run/*.parquet matches no file.')
  })

  test('an empty folder is a problem, not an end', async () => {
    const { sources, problems } = await openPaths(['empty', 'run/a.jsonl'], io())
    expect(sources.map(({ name }) => name)).toEqual(['a.jsonl'])
    expect(problems).toEqual([
      { name: 'empty', bytes: 0, code: 'no-files', message: expect.stringContaining('empty holds no files.') },
    ])
  })

  test('a folder whose files are all in hidden folders is told by these', async () => {
    await mkdir(join(folder, 'art', '.art', 'models'), { recursive: true })
    await writeFile(join(folder, 'art', '.art', 'models', '0001.jsonl'), '{}\n')
    const { sources, problems } = await openPaths(['art'], io())
    expect(sources).toEqual([])
    const message = 'art holds no files but in hidden folders, which are left out: .art. Name one of them itself.'
    expect(problems).toEqual([{ name: 'art', bytes: 0, code: 'no-files', message }])
    expect((await openPaths(['art/.art'], io())).sources).toHaveLength(1)
  })

  test('the same file is read once, and that it was named again is said', async () => {
    const said = async (...paths: string[]) => {
      let err = ''
      const told = { ...io(['{}']), stderr: { write: (text: string | Uint8Array) => (err += text) } }
      const { sources } = await openPaths(paths, told)
      return [sources.length, err.replace(/\s+/g, ' ').trim()]
    }
    expect(await said('run', 'run/a.jsonl', 'run/*.jsonl')).toEqual([
      4,
      'a.jsonl, b.jsonl were named more than once and count once.',
    ])
    const once = 'a.jsonl was named more than once and counts once.'
    for (const more of ['run/a.jsonl', './run/a.jsonl']) expect(await said('run/a.jsonl', more)).toEqual([1, once])
    expect(await said('-', '-')).toEqual([1, 'standard input was named more than once and counts once.'])
    expect(await said('run/a.jsonl', '-', 'run/b.jsonl', 'links/file.jsonl')).toEqual([4, ''])
  })

  test('standard input stands where it was named', async () => {
    const names = async (...paths: string[]) => (await openPaths(paths, io(['{}']))).sources.map(({ name }) => name)
    expect(await names('run/a.jsonl', '-', 'run/b.jsonl')).toEqual(['a.jsonl', 'standard input', 'b.jsonl'])
    expect(await names('-', 'run/a.jsonl')).toEqual(['standard input', 'a.jsonl'])
    // Names are the places under what the files have in common, with which it has nothing to do.
    expect(await names('run/step_1/rollouts.jsonl', '-', 'run/step_1/loop/step_1/rollouts.jsonl')).toEqual([
      'rollouts.jsonl',
      'standard input',
      'loop/step_1/rollouts.jsonl',
    ])
    const { sources } = await openPaths(['-', 'run/a.jsonl'], io(['{}']), folder)
    expect(sources.map(({ name }) => name)).toEqual(['standard input', 'run/a.jsonl'])
  })

  test('standard input is one source', async () => {
    const { sources } = await openPaths(['-'], io(['{"a"', ': 1}\n']))
    expect(new TextDecoder().decode(await sources[0]!.slice(0, 100))).toBe('{"a": 1}\n')
  })
})

describe('files of one name', () => {
  test('are called by their place under what their folders have in common', async () => {
    await writeFile(join(folder, 'run/step_1/same.jsonl'), '1')
    await writeFile(join(folder, 'run/step_2/same.jsonl'), '2')
    const { sources } = await openPaths(['run/step_1/same.jsonl', 'run/step_2/same.jsonl'], io())
    expect(sources.map(({ name }) => name)).toEqual(['step_1/same.jsonl', 'step_2/same.jsonl'])
  })
})

describe('byte sources', () => {
  const text = Array.from({ length: 300_000 }, (_, i) => i).join('\n')
  const bytes = new TextEncoder().encode(text)

  async function streamed(stream: ReadableStream<Uint8Array>): Promise<string> {
    const chunks: Uint8Array[] = []
    for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }

  async function both() {
    const path = join(folder, 'bytes')
    await writeFile(path, bytes)
    return [await NodeFileSource.open(path, 'bytes'), new MemorySource('bytes', bytes)]
  }

  test('give ranges, clamped, and streams from anywhere', async () => {
    for (const source of await both()) {
      expect(source.size).toBe(bytes.length)
      expect(await source.slice(10, 20)).toEqual(bytes.slice(10, 20))
      expect(await source.slice(bytes.length - 3, bytes.length + 50)).toEqual(bytes.slice(-3))
      expect(await source.slice(bytes.length + 5, bytes.length + 9)).toHaveLength(0)
      expect(await streamed(source.stream())).toBe(text)
      expect(await streamed(source.stream(1_500_000))).toBe(text.slice(1_500_000))
      expect(await streamed(source.stream(bytes.length))).toBe('')
    }
  })

  test('give the same from front to back into memory that is used again', async () => {
    const [file] = await both()
    for (const start of [0, 1_500_000, bytes.length]) {
      const reader = (file as NodeFileSource).reader(start)
      const chunks: Uint8Array[] = []
      for (let chunk = await reader.next(); chunk !== null; chunk = await reader.next()) chunks.push(chunk.slice())
      expect(await reader.next()).toBeNull()
      await reader.close()
      expect(Buffer.concat(chunks).toString()).toBe(text.slice(start))
    }
    // Left while a chunk is still being read, and left before anything was.
    const early = (file as NodeFileSource).reader()
    expect((await early.next())?.length).toBeGreaterThan(0)
    await early.close()
    await (file as NodeFileSource).reader().close()
  })

  test('a file that went away since it was opened is called by its name, with what to do', async () => {
    const path = join(folder, 'gone')
    await writeFile(path, bytes)
    const file = await NodeFileSource.open(path, 'steps/gone.jsonl')
    await rm(path)
    const reads = [
      () => file.slice(0, 10),
      () => streamed(file.stream()),
      () => file.reader().next(),
      async () => readElsewhere(file.elsewhere, 0, 10),
    ]
    for (const read of reads) {
      await expect(read()).rejects.toThrow(
        'steps/gone.jsonl was removed or moved while it was being read. Put it back, or name files that stay.',
      )
    }
  })

  test("what they give is nobody else's memory", async () => {
    const pooled = Buffer.from('some bytes of a pool')
    const source = new MemorySource('pooled', pooled)
    const slice = await source.slice(5, 10)
    expect(slice.buffer.byteLength).toBe(5)
    slice.fill(0)
    expect(await streamed(source.stream())).toBe('some bytes of a pool')
  })

  test('a stream that is left early lets its file go', async () => {
    const [file] = await both()
    const reader = file!.stream().getReader()
    expect((await reader.read()).value?.length).toBeGreaterThan(0)
    await reader.cancel()
    expect(await streamed(file!.stream())).toBe(text)
  })
})
