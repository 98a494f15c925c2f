import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { plainName, type SaveDialogs, Savings } from '../../electron/save-files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-save-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('saving', () => {
  const bytes = new Uint8Array([1, 2, 3])
  const dialogs = (answers: Partial<SaveDialogs>): SaveDialogs => ({
    file: async () => null,
    folder: async () => null,
    replace: async () => false,
    ...answers,
  })

  /** What comes of saving these into a folder: null where a file of theirs may not be replaced. */
  async function saveAll(names: readonly string[], there: SaveDialogs) {
    const [page, savings] = [{}, new Savings()]
    await savings.begin(page, null, there)
    if (!(await savings.of(page, 1).mayWrite(names))) return null
    for (const name of names) expect(await savings.write(page, 1, name, bytes)).toBeNull()
    return savings.end(page, 1)
  }

  test('asks before it replaces files in a folder, and leaves them when the answer is no', async () => {
    writeFileSync(join(folder, 'a'), 'old')
    const asked: (readonly string[])[] = []
    const no = dialogs({ folder: async () => folder, replace: async (names) => asked.push(names) < 0 })
    expect(await saveAll(['a', 'b'], no)).toBeNull()
    expect(asked).toEqual([['a']])
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old')
    expect(existsSync(join(folder, 'b'))).toBe(false)
    const yes = dialogs({ folder: async () => folder, replace: async () => true })
    expect(await saveAll(['a', 'b'], yes)).toEqual({ kind: 'saved', names: ['a', 'b'] })
    expect(Uint8Array.from(readFileSync(join(folder, 'a')))).toEqual(bytes)
  })

  test('leaves nothing half written beside', async () => {
    mkdirSync(join(folder, 'taken'))
    const there = dialogs({ file: async () => join(folder, 'taken') })
    expect((await new Savings().save({ name: 'x', bytes }, there)).kind).toBe('failed')
    expect(readdirSync(folder)).toEqual(['taken'])
  })

  test('of one file that is cancelled writes nothing', async () => {
    expect(await new Savings().save({ name: 'x', bytes }, dialogs({}))).toEqual({ kind: 'cancelled' })
    expect(readdirSync(folder)).toEqual([])
  })

  test('saves all files of an export or none', async () => {
    const place = join(folder, 'place')
    mkdirSync(place)
    writeFileSync(join(place, 'a'), 'old')
    const there = dialogs({ folder: async () => place, replace: async () => true })
    const [page, savings] = [{}, new Savings()]
    mkdirSync(join(place, 'b'))
    await savings.begin(page, null, there)
    expect(await savings.of(page, 1).mayWrite(['a', 'b'])).toBe(true)
    expect(await savings.write(page, 1, 'a', bytes)).toBeNull()
    expect(await savings.write(page, 1, 'b', bytes)).toMatch(/^b could not be written: .*Nothing of it was saved/)
    expect((await savings.end(page, 1)).kind).toBe('failed')
    expect(readFileSync(join(place, 'a'), 'utf8')).toBe('old')
    expect(readdirSync(place)).toEqual(['a', 'b'])
  })

  test('writes what comes piece by piece, and names it at the end', async () => {
    const [page, other] = [{}, {}]
    const savings = new Savings()
    const there = dialogs({ folder: async () => folder, replace: async () => true })
    const begun = await savings.begin(page, null, there)
    expect(begun).toEqual({ id: 1, where: basename(folder) })
    expect(() => savings.of(other, 1)).toThrow('Nothing is being saved')
    writeFileSync(join(folder, 'a'), 'old')
    const saving = savings.of(page, 1)
    expect(await saving.mayWrite(['a', '../b'])).toBe(true)
    for (const name of ['a', 'a', '../b']) expect(await saving.write(name, bytes)).toBeNull()
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old')
    expect(await savings.end(page, 1)).toEqual({ kind: 'saved', names: ['a', '__b'] })
    expect([...readFileSync(join(folder, 'a'))]).toEqual([1, 2, 3, 1, 2, 3])
    expect(readdirSync(folder).sort()).toEqual(['__b', 'a'])
  })

  test.each(['stopped', 'gone'] as const)('leaves nothing of what is %s', async (how) => {
    const page = {}
    const savings = new Savings()
    await savings.begin(page, 'run.zip', dialogs({ file: async () => join(folder, 'chosen.zip') }))
    expect(await savings.of(page, 1).write('run.zip', bytes)).toBeNull()
    expect(readdirSync(folder)).toHaveLength(1)
    if (how === 'stopped') await savings.stop(page, 1)
    else await savings.pageGone(page)
    expect(readdirSync(folder)).toEqual([])
    await savings.stop(page, 1)
  })

  test.each([
    ['first', 'stopped'],
    ['first', 'gone'],
    ['later', 'stopped'],
    ['later', 'gone'],
  ] as const)('leaves nothing of a %s piece that is being written as it is %s', async (piece, how) => {
    const page = {}
    const savings = new Savings()
    await savings.begin(page, null, dialogs({ folder: async () => folder }))
    const saving = savings.of(page, 1)
    expect(await saving.mayWrite(['a', 'b'])).toBe(true)
    if (piece === 'later') await saving.write('a', bytes)
    const writing = saving.write('a', new Uint8Array(4 << 20))
    await (how === 'stopped' ? savings.stop(page, 1) : savings.pageGone(page))
    expect(await writing).toBe('a was not written: saving was stopped.')
    expect(readdirSync(folder)).toEqual([])
    expect(await saving.write('b', bytes)).toBe('b was not written: saving was stopped.')
    expect(readdirSync(folder)).toEqual([])
  })

  test.each([
    ['run.jsonl', 'run.jsonl'],
    ['../../run.jsonl', '__.._run.jsonl'],
    ['/etc/passwd', '_etc_passwd'],
    ['C:\\run', 'C__run'],
    ['.hidden', '_hidden'],
    ['a\u0000b\nc', 'a_b_c'],
    ['', 'export'],
  ])('%j is suggested as %j', (name, plain) => {
    expect(plainName(name)).toBe(plain)
  })
})
