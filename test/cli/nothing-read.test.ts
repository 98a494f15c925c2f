import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLine } from './command-line.ts'

let folder: string
const cli = (...argv: string[]) => commandLine(argv, { directory: folder })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-nothing-'))
  await writeFile(join(folder, 'empty.jsonl'), '')
  await mkdir(join(folder, 'nothing'))
})

afterAll(() => rm(folder, { recursive: true }))

describe('where nothing could be read', () => {
  test.each(['sarif', 'junit', 'markdown', 'html'])('%s is written, so that there is a file to upload', async (id) => {
    const ran = await cli('inspect', 'empty.jsonl', '--format', id, '--out', `out.${id}`)
    expect(ran).toMatchObject({ code: 3, out: '' })
    expect(ran.err).toContain('Nothing could be read.')
    const text = await readFile(join(folder, `out.${id}`), 'utf8')
    expect(text).toContain('Nothing could be read.')
    expect(text).toContain('empty.jsonl is empty (0 bytes).')
  })

  test('the form says that a folder holds no files, and so does the report', async () => {
    const ran = await cli('inspect', 'nothing', '--format', 'sarif', '--json', 'nothing.json')
    expect(ran.code).toBe(3)
    const [invocation] = JSON.parse(ran.out).runs[0].invocations
    expect(invocation.executionSuccessful).toBe(false)
    expect(invocation.toolExecutionNotifications[0].message.text).toContain('nothing holds no files.')
    const { sources } = JSON.parse(await readFile(join(folder, 'nothing.json'), 'utf8'))
    expect(sources).toMatchObject([{ name: 'nothing', records: 0, unreadable: { code: 'no-files' } }])
  })

  test('so is that of reports that hold nothing', async () => {
    await cli('inspect', 'empty.jsonl', '--json', 'empty.json')
    const merged = await cli('merge', 'empty.json', '--format', 'junit')
    expect(merged.code).toBe(3)
    expect(merged.out).toContain('<error message="Nothing could be read: 1 report, and not one rollout in it.')
  })

  test.each([
    [
      'lists of lists',
      { input_ids: [[1, 2]], loss_mask: [[0, 1]] },
      '`input_ids` is a list of lists and `loss_mask` is a list of lists.',
    ],
    ['a text', { input_ids: '[1, 2]', loss_mask: [0, 1] }, '`input_ids` is a text.'],
  ])('arrays that are %s are told as what they are', async (_, record, said) => {
    await writeFile(join(folder, 'unfit.jsonl'), JSON.stringify(record))
    const { code, err } = await cli('inspect', 'unfit.jsonl')
    expect(code).toBe(3)
    expect(err.replace(/\s+/g, ' ')).toContain(`Each is a list of numbers of one rollout; here ${said}`)
  })
})
