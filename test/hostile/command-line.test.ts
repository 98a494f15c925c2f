import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLine } from '../cli/command-line.ts'
import { ALL_HOSTILE } from './corpus.ts'
import { csvRecords, FORMULA } from './csv-records.ts'
import { FILE_NAMES, hostileRecords } from './dump.ts'
import { closeNetwork } from './no-network.ts'

/** What a terminal obeys, or what turns the direction of text; the newlines of the program's own rows are not among them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
const ACTIVE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]|\p{Surrogate}/u
/** The colours that the program itself gives, and nothing else of a terminal's language. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const OWN_COLOURS = /\u001b\[[\d;]*m/g

let folder: string
let network: ReturnType<typeof closeNetwork>
const at = (...path: string[]) => join(folder, ...path)
const cli = (argv: string[], more: { tty?: boolean } = {}) =>
  commandLine([...argv, '--tokenizer', 'qwen2.5'], { directory: folder, ...more })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-hostile-'))
  const record = await hostileRecords()
  await writeFile(at('all.jsonl'), ALL_HOSTILE.map((text) => `${record(text)}\n{"input_ids": ["x"\n`).join(''))
  await writeFile(at('one.jsonl'), `${record(ALL_HOSTILE.join(' '))}\n`)
  await mkdir(at('files'))
  for (const name of FILE_NAMES) await writeFile(at('files', name), `${record('plain')}\n`)
  network = closeNetwork()
})

afterAll(async () => {
  network.restore()
  await rm(folder, { recursive: true })
})

describe('on a terminal a dump of nothing but hostile texts', () => {
  test.each([
    ['the summary', ['inspect', 'all.jsonl']],
    ['the summary of files so named', ['inspect', 'files']],
    ['a rollout', ['show', 'one.jsonl', '--index', '0']],
    ['JSON', ['inspect', 'all.jsonl', '--json', '-']],
    ...['sarif', 'junit', 'markdown', 'html'].map((format): [string, string[]] => [
      format,
      ['inspect', 'all.jsonl', '--format', format],
    ]),
  ])('is text in %s', async (_name, argv) => {
    const { code, out, err } = await cli(argv)
    expect(code, err).toBeLessThanOrEqual(1)
    expect(out.length).toBeGreaterThan(500)
    expect(out).not.toMatch(ACTIVE)
    expect(err).not.toMatch(ACTIVE)
  })

  test('is text between the colours of the program', async () => {
    for (const argv of [
      ['inspect', 'all.jsonl'],
      ['show', 'one.jsonl', '--index', '0'],
    ]) {
      const { out } = await cli(argv, { tty: true })
      expect(out.match(OWN_COLOURS)?.length).toBeGreaterThan(10)
      expect(out.replace(OWN_COLOURS, '')).not.toMatch(ACTIVE)
    }
  })
})

test('a line of ten megabytes costs its neighbours nothing, and is shown in rows that fit', async () => {
  const [plain = ''] = (await readFile(at('all.jsonl'), 'utf8')).split('\n')
  const long = JSON.stringify({ ...JSON.parse(plain), id: `a\u001b]0;x\u0007${'a'.repeat(10_000_000)}` })
  await writeFile(at('long.jsonl'), `${plain}\n${long}\n${plain.replace('"id":', '"was":')}\n`)
  const { code, out, err } = await cli(['inspect', 'long.jsonl', '--json', 'long.json'], {})
  expect(code, err).toBe(1)
  expect(JSON.parse(await readFile(at('long.json'), 'utf8')).totals.trajectories).toBe(3)
  expect(out).not.toMatch(ACTIVE)
  expect(out.length).toBeLessThan(100_000)
  for (const row of out.split('\n')) expect(row.length).toBeLessThanOrEqual(100)
})

describe('a sentence about a mistake', () => {
  test.each([
    ['a command', (text: string) => [text]],
    ['a path', (text: string) => ['inspect', `./nowhere${text}`]],
    ['an option', (text: string) => ['inspect', `--x${text}`, 'one.jsonl']],
    ['the value of an option', (text: string) => ['inspect', 'one.jsonl', '--fail-on', `x${text}`]],
    ['a check', (text: string) => ['inspect', 'one.jsonl', '--checks', `x${text}`]],
    ['an output', (text: string) => ['inspect', 'one.jsonl', '--format', `x${text}`]],
    ['a query', (text: string) => ['show', 'one.jsonl', '--where', `nofield:${text}`]],
  ])('shows hostile text as text: %s', async (_name, argv) => {
    for (const text of ALL_HOSTILE) {
      const { code, out, err } = await commandLine(argv(text), { directory: folder })
      // To ask for help is no mistake, and a path that climbs may lead to a file, which holds no rollouts.
      if (text !== '--help') expect([2, 3], `${text}: ${out}${err}`).toContain(code)
      expect(`${out}${err}`).not.toMatch(ACTIVE)
    }
  })
})

describe('exports of hostile dumps', () => {
  test.each(['source', 'native', 'sft'])('as %s write plain names into their folder, one for each file', async (as) => {
    const before = await readdir(folder)
    const { code, err } = await cli(['export', 'files', '--flagged', '--as', as, '--out', `out-${as}/`])
    expect(code, err).toBe(0)
    expect((await readdir(folder)).sort()).toEqual([...before, `out-${as}`].sort())
    const names = await readdir(at(`out-${as}`))
    expect(names).toHaveLength(FILE_NAMES.length + 1)
    for (const name of names) expect(name).toMatch(/^[\p{L}\p{N}_-][\p{L}\p{N}._-]*$/u)
    const manifest = JSON.parse(await readFile(at(`out-${as}`, 'manifest.json'), 'utf8'))
    expect(manifest.files).toHaveLength(FILE_NAMES.length)
    expect(manifest.sources.map(({ name }: { name: string }) => name).sort()).toEqual([...FILE_NAMES].sort())
    for (const { name } of manifest.files) {
      expect((await readFile(at(`out-${as}`, name), 'utf8')).trimEnd().split('\n')).toHaveLength(1)
    }
  })

  test('as tables hold no formula', async () => {
    const { code, err } = await cli(['export', 'all.jsonl', '--flagged', '--as', 'csv', '--out', 'tables'])
    expect(code, err).toBe(0)
    for (const [name, least] of [
      ['rollouts.csv', ALL_HOSTILE.length],
      ['findings.csv', ALL_HOSTILE.length],
    ] as const) {
      const [head, ...rows] = csvRecords(await readFile(at('tables', name), 'utf8'))
      expect(rows.length).toBeGreaterThanOrEqual(least)
      for (const row of rows) {
        expect(row).toHaveLength(head!.length)
        for (const cell of row) if (Number.isNaN(Number(cell))) expect(cell).not.toMatch(FORMULA)
      }
    }
  })

  test('as rows to train on are read back with the same texts', async () => {
    const { code, err } = await cli(['export', 'all.jsonl', '--flagged', '--as', 'native', '--out', 'again.jsonl'])
    expect(code, err).toBe(0)
    const ids = (await readFile(at('again.jsonl'), 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    // Halves of characters cannot be written as UTF-8.
    const whole = ALL_HOSTILE.filter((text) => !/\p{Surrogate}/u.test(text))
    expect(ids).toEqual(expect.arrayContaining(whole))
    expect(ids).toHaveLength(ALL_HOSTILE.length)
  })
})

test('no text of a dump has changed what all objects have', () => {
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test('no command has reached out: not to an address, not to another program', async () => {
  for (const argv of [['formats'], ['checks'], ['merge', 'long.json'], ['inspect', 'https://evil.example/run.jsonl']]) {
    await commandLine(argv, { directory: folder })
  }
  expect(network.tried).toEqual([])
  // The trap itself shuts.
  await expect(fetch('http://127.0.0.1:47999/')).rejects.toThrow()
  expect(() => execFile('true')).toThrow()
  expect(network.tried).toEqual(['connect', 'spawn'])
})
