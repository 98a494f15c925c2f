import { EventEmitter } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { quitOnceWritten } from '../../electron/quitting.ts'
import { type SaveDialogs, Savings } from '../../electron/save-files.ts'

const bytes = new Uint8Array([1, 2, 3])

let folder: string
let page: object
let savings: Savings
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-saving-'))
  page = {}
  savings = new Savings()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Somebody who says yes to everything. */
function dialogs(answers: Partial<SaveDialogs> = {}): SaveDialogs {
  return {
    file: async () => join(folder, 'chosen.zip'),
    folder: async () => folder,
    replace: async () => true,
    ...answers,
  }
}

describe('a page that saves into a folder', () => {
  test.each([
    ['never asked', null],
    ['asked for another', ['b']],
    ['was refused', ['a']],
  ] as const)('replaces nothing that it %s', async (_, names) => {
    writeFileSync(join(folder, 'a'), 'old')
    await savings.begin(page, null, dialogs({ replace: async () => false }))
    if (names !== null) await savings.of(page, 1).mayWrite(names)
    expect(await savings.write(page, 1, 'a', bytes)).toMatch(/^a could not be written: .*Nothing of it was saved/)
    expect(await savings.end(page, 1)).not.toMatchObject({ names: ['a'] })
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('old')
    expect(readdirSync(folder)).toEqual(['a'])
  })

  test.each([
    ['a:b', 'a_b'],
    ['run.jsonl', 'Run.jsonl'],
  ])('%j is not joined with %j', async (one, other) => {
    await savings.begin(page, null, dialogs())
    expect(await savings.of(page, 1).mayWrite([one, other])).toBe(true)
    expect(await savings.write(page, 1, one, bytes)).toBeNull()
    expect(await savings.write(page, 1, other, bytes)).toMatch(/another of these files/)
    expect(readdirSync(folder)).toEqual([])
  })

  test('pieces of one file are still one file', async () => {
    await savings.begin(page, null, dialogs())
    await savings.of(page, 1).mayWrite(['a:b'])
    for (let piece = 0; piece < 2; piece++) expect(await savings.write(page, 1, 'a:b', bytes)).toBeNull()
    expect(await savings.end(page, 1)).toEqual({ kind: 'saved', names: ['a_b'] })
    expect([...readFileSync(join(folder, 'a_b'))]).toEqual([1, 2, 3, 1, 2, 3])
  })
})

test('pieces that come at once are one file, in the order in which they came', async () => {
  await savings.begin(page, null, dialogs())
  await savings.of(page, 1).mayWrite(['a', 'b'])
  const pieces = Array.from({ length: 40 }, (_, at) => new Uint8Array(at % 3 === 0 ? 100_000 : 10).fill(at))
  const written = pieces.map((piece, at) => savings.write(page, 1, at % 2 === 0 ? 'a' : 'b', piece))
  // Asked for before the pieces are on disk.
  expect(await savings.end(page, 1)).toEqual({ kind: 'saved', names: ['a', 'b'] })
  expect(await Promise.all(written)).toEqual(pieces.map(() => null))
  expect(readdirSync(folder)).toEqual(['a', 'b'])
  for (const [at, name] of ['a', 'b'].entries()) {
    const whole = Buffer.concat(pieces.filter((_, index) => index % 2 === at))
    expect(readFileSync(join(folder, name)).equals(whole)).toBe(true)
  }
})

test('a page that goes while the dialog is open has begun nothing', async () => {
  let choose: (path: string) => void = () => undefined
  const begun = savings.begin(page, null, dialogs({ folder: () => new Promise((resolve) => (choose = resolve)) }))
  await savings.pageGone(page)
  choose(folder)
  expect(await begun).toBeNull()
  expect(savings.isSaving(page)).toBe(false)
  // The page that came instead saves as any other.
  expect(await savings.begin(page, null, dialogs())).not.toBeNull()
  expect(savings.isSaving(page)).toBe(true)
})

describe('an application that quits', () => {
  /** Quits as Electron does once all windows are closed: whoever prevents it is to quit again. */
  class Quitting extends EventEmitter {
    hasQuit: Promise<void>
    private ended: () => void = () => undefined
    constructor() {
      super()
      this.hasQuit = new Promise((resolve) => (this.ended = resolve))
    }
    quit(): void {
      let isPrevented = false
      this.emit('will-quit', { preventDefault: () => (isPrevented = true) })
      if (!isPrevented) this.ended()
    }
  }

  test('leaves nothing of what its pages were writing', async () => {
    const app = new Quitting()
    quitOnceWritten(app, savings)
    await savings.begin(page, 'run.zip', dialogs())
    expect(await savings.write(page, 1, 'run.zip', bytes)).toBeNull()
    expect(readdirSync(folder)).toHaveLength(1)
    void savings.pageGone(page)
    let left: readonly string[] | null = null
    void app.hasQuit.then(() => (left = readdirSync(folder)))
    app.quit()
    await Promise.resolve()
    expect(left).toBeNull()
    await app.hasQuit
    expect(readdirSync(folder)).toEqual([])
  })

  test('lets what has come to its end get its name', async () => {
    const app = new Quitting()
    quitOnceWritten(app, savings)
    await savings.begin(page, 'run.zip', dialogs())
    await savings.write(page, 1, 'run.zip', bytes)
    void savings.end(page, 1)
    void savings.pageGone(page)
    app.quit()
    await app.hasQuit
    expect(readdirSync(folder)).toEqual(['chosen.zip'])
  })

  test('lets a workspace that is being written get its name', async () => {
    const app = new Quitting()
    quitOnceWritten(app, savings)
    let isChosen: () => void = () => undefined
    const chosen = new Promise<void>((resolve) => (isChosen = resolve))
    const file = async () => {
      isChosen()
      return join(folder, 'kept')
    }
    void savings.save({ name: 'kept', bytes }, dialogs({ file }))
    await chosen
    await Promise.resolve()
    void savings.pageGone(page)
    app.quit()
    await app.hasQuit
    expect(readdirSync(folder)).toEqual(['kept'])
  })

  test('with nothing under way quits at once', () => {
    const app = new Quitting()
    quitOnceWritten(app, savings)
    let isPrevented = false
    app.emit('will-quit', { preventDefault: () => (isPrevented = true) })
    expect([isPrevented, existsSync(folder)]).toEqual([false, true])
  })
})
