import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ServedFiles } from '../../cli/server/served-files.ts'
import type { OpenedFiles } from '../../electron/bridge.ts'
import { OpenFiles } from '../../electron/open-files.ts'
import { type SaveDialogs, Savings } from '../../electron/save-files.ts'
import { isWorkspace, openWorkspace, saveWorkspace } from '../../electron/workspace.ts'

const FORMAT = 'rollout-inspector.workspace/1'
const ADDRESS = '#dump=0123456789abcdef&view=rollout&rollout=12&tokens=410-655'

let folder: string
let served: ServedFiles
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollout-inspector-workspace-'))
  served = new ServedFiles()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text = '{}\n'): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

function workspace(content: unknown): string {
  return file('run.rollout-workspace', typeof content === 'string' ? content : JSON.stringify(content))
}

const naming = (...paths: string[]) => ({
  format: FORMAT,
  files: paths.map((path, index) => ({ path, name: `step_${index}.jsonl` })),
  address: ADDRESS,
})

const dialogs = (answers: Partial<SaveDialogs>): SaveDialogs => ({
  file: async () => null,
  folder: async () => null,
  replace: async () => false,
  ...answers,
})

const shell = (dialogs: SaveDialogs, remember: (path: string) => void = () => undefined) => ({
  served,
  savings: new Savings(),
  dialogs,
  remember,
})

/** The paths that the handles of opened files lead to. */
function pathsOf({ files }: OpenedFiles): Promise<(string | null)[]> {
  return Promise.all(files.map(({ url }) => served.pathOf(url.replace('/file/', ''))))
}

describe('a saved workspace', () => {
  test('opens the same files, under the same names, with what was on screen', async () => {
    const first = served.add(file('a.jsonl'), 'steps/a.jsonl', 3)
    const dropped = file('b.jsonl')
    const target = join(folder, 'kept.rollout-workspace')
    const suggested: string[] = []
    const remembered: string[] = []
    const given = [
      { name: first.name, url: `rollout-inspector://app${first.url}` },
      { name: 'b.jsonl', path: dropped },
    ]
    const asking = dialogs({
      async file(name) {
        suggested.push(name)
        return target
      },
    })
    const saved = await saveWorkspace(
      given,
      ADDRESS,
      shell(asking, (path) => void remembered.push(path)),
    )
    expect(saved).toEqual({ kind: 'saved', names: ['kept.rollout-workspace'] })
    expect(suggested).toEqual(['a.rollout-workspace'])
    expect(remembered).toEqual([target])
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({
      format: FORMAT,
      files: [
        { path: join(folder, 'a.jsonl'), name: 'steps/a.jsonl' },
        { path: dropped, name: 'b.jsonl' },
      ],
      address: ADDRESS,
    })

    served = new ServedFiles()
    const opened = await openWorkspace(target, served)
    expect(opened).toMatchObject({ problems: [], address: ADDRESS })
    expect(opened.files.map(({ name, size }) => [name, size])).toEqual([
      ['steps/a.jsonl', 3],
      ['b.jsonl', 3],
    ])
    expect(await pathsOf(opened)).toEqual([join(folder, 'a.jsonl'), dropped])
    expect(JSON.stringify(opened)).not.toContain(folder)
  })

  test('has its ending, and replaces nothing that the dialog did not ask about', async () => {
    const kept = file('kept.rollout-workspace', 'old')
    const given = [{ name: 'a.jsonl', path: file('a.jsonl') }]
    const asked: (readonly string[])[] = []
    const answering = (answer: boolean) =>
      dialogs({
        file: async () => join(folder, 'kept'),
        async replace(names) {
          asked.push(names)
          return answer
        },
      })
    expect(await saveWorkspace(given, '', shell(answering(false)))).toEqual({ kind: 'cancelled' })
    expect(readFileSync(kept, 'utf8')).toBe('old')
    expect(asked).toEqual([['kept.rollout-workspace']])
    expect(await saveWorkspace(given, '', shell(answering(true)))).toMatchObject({ kind: 'saved' })
    expect(readFileSync(kept, 'utf8')).toContain(FORMAT)
    expect(existsSync(join(folder, 'kept'))).toBe(false)
  })

  test.each([
    ['a file of the application', [{ name: 'sample', url: 'rollout-inspector://app/samples/a.jsonl.gz' }], ADDRESS],
    ['an unknown handle', [{ name: 'x', url: 'rollout-inspector://app/file/AAAAAAAAAAAAAAAAAAAAAA' }], ADDRESS],
    ['no file at all', [], ADDRESS],
    ['what is no address', [{ name: 'a', path: '/a' }], 'https://example.com/'],
  ])('is not made of %s', async (_name, given, address) => {
    const never = dialogs({ file: () => Promise.reject(new Error('nobody is asked')) })
    const saved = await saveWorkspace(given, address, shell(never))
    expect(saved.kind).toBe('failed')
  })

  test('that is cancelled is not remembered', async () => {
    const remembered: string[] = []
    const given = [{ name: 'a', path: file('a') }]
    const saved = await saveWorkspace(
      given,
      '',
      shell(dialogs({}), (path) => void remembered.push(path)),
    )
    expect([saved.kind, remembered]).toEqual(['cancelled', []])
  })
})

describe('opening a workspace', () => {
  test('says which files are gone, and opens the others', async () => {
    mkdirSync(join(folder, 'now-a-folder'))
    const path = workspace(naming(file('here.jsonl'), join(folder, 'gone.jsonl'), join(folder, 'now-a-folder')))
    const opened = await openWorkspace(path, served)
    expect(opened.files.map(({ name }) => name)).toEqual(['step_0.jsonl'])
    expect(opened.problems).toEqual([
      expect.stringMatching(/^gone\.jsonl \(in .*\) does not exist/),
      expect.stringMatching(/^now-a-folder \(in .*\) is no longer a file/),
    ])
  })

  test('names five of many that are gone, and counts the rest', async () => {
    const gone = Array.from({ length: 12 }, (_, index) => join(folder, `gone_${index}.jsonl`))
    const { files, problems } = await openWorkspace(workspace(naming(...gone)), served)
    expect(files).toEqual([])
    expect(problems).toHaveLength(6)
    expect(problems[5]).toBe('7 more files that run.rollout-workspace names could not be opened.')
  })

  test.each([
    ['//computer/share/a.jsonl', /on another computer/],
    ['\\\\computer\\share\\a.jsonl', /on another computer/],
    ['\\\\?\\UNC\\computer\\share\\a.jsonl', /on another computer/],
    ['/\\computer\\share\\a.jsonl', /on another computer/],
    ['a.jsonl', /whole path/],
    ['../../etc/passwd', /whole path/],
    ['~/a.jsonl', /whole path/],
  ])('the path %s is not followed', async (path, sentence) => {
    const opened = await openWorkspace(workspace(naming(path)), served)
    expect(opened.files).toEqual([])
    expect(opened.problems).toEqual([expect.stringMatching(sentence)])
  })

  test.each([
    ['nothing', '', /no JSON/],
    ['a torn one', JSON.stringify(naming('/a')).slice(0, 60), /no JSON/],
    ['null', null, /cannot be opened as a workspace/],
    ['a list', [], /cannot be opened as a workspace/],
    ['another format', { ...naming('/a'), format: 'rollout-inspector.marks/1' }, /at format/],
    ['a newer one', { ...naming('/a'), format: 'rollout-inspector.workspace/2' }, /newer version/],
    ['no files', naming(), /at files/],
    ['too many files', naming(...Array.from({ length: 10_001 }, () => '/a')), /at files/],
    ['files that are none', { ...naming(), files: [7] }, /at files\.0/],
    ['a path with a zero', naming('/a\u0000b'), /at files\.0\.path/],
    ['a name with a line break', { ...naming(), files: [{ path: '/a', name: 'a\nb' }] }, /at files\.0\.name/],
    ['an address elsewhere', { ...naming('/a'), address: 'https://example.com/#a' }, /at address/],
    ['a script', { ...naming('/a'), address: 'javascript:alert(1)' }, /at address/],
    ['an endless address', { ...naming('/a'), address: `#${'a'.repeat(70_000)}` }, /at address/],
  ])('of %s is a sentence', async (_name, content, sentence) => {
    const opened = await openWorkspace(workspace(content), served)
    expect(opened).toEqual({ files: [], problems: [expect.stringMatching(sentence)] })
    expect(opened.problems[0]).toMatch(/^run\.rollout-workspace /)
    expect(opened.problems[0]).not.toContain(folder)
  })

  test('that is a folder, too large or gone is a sentence', async () => {
    mkdirSync(join(folder, 'folder.rollout-workspace'))
    writeFileSync(join(folder, 'large.rollout-workspace'), new Uint8Array(16 * 1024 * 1024 + 1))
    for (const name of ['folder', 'large', 'gone']) {
      const opened = await openWorkspace(join(folder, `${name}.rollout-workspace`), served)
      expect(opened).toEqual({ files: [], problems: [expect.stringContaining(`${name}.rollout-workspace`)] })
    }
  })

  test('by double click, before the page listens, keeps the address, and the workspace is among the recent ones', async () => {
    const path = workspace(naming(file('a.jsonl')))
    const remembered: string[] = []
    const opening = new OpenFiles({ served, send: () => undefined, remember: (opened) => void remembered.push(opened) })
    await opening.fromOutside([path], '/')
    const opened = await opening.pageReady()
    expect(opened).toMatchObject({ files: [{ name: 'step_0.jsonl' }], problems: [], address: ADDRESS })
    expect(remembered).toEqual([path])
  })

  test('files without one have no address', async () => {
    const opening = new OpenFiles({ served, send: () => undefined, remember: () => undefined })
    expect(await opening.open([file('a.jsonl')], '/')).not.toHaveProperty('address')
  })
})

test.each([
  ['/runs/a.rollout-workspace', true],
  ['/runs/A.ROLLOUT-WORKSPACE', true],
  ['/runs/a.rollout-workspace/step.jsonl', false],
  ['/runs/a.json', false],
])('%s is a workspace: %s', (path, is) => {
  expect(isWorkspace(path)).toBe(is)
})
