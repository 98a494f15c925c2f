import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatMarks } from '../../shared/model/marks.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testHost } from '../session/test-host.ts'
import { commandLine } from './command-line.ts'
import { searchRollouts } from './dumps.ts'

let folder: string
let lines: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-where-'))
  lines = await searchRollouts(6, [1, 4])
  await writeFile(join(folder, 'dump.jsonl'), `${lines.join('\n')}\n`)
  const session = await Session.open([memorySource(`${lines.join('\n')}\n`)], { tokenizer: 'qwen2.5' }, testHost())
  await session.done
  const mark = (index: number, more: { flagged?: boolean; labels?: string[]; note?: string }) => ({
    record: session.facts[index]!.recordHash,
    part: 0,
    id: `q${index}`,
    dump: session.dumpHash,
    flagged_at: more.flagged ? '2026-11-21T12:00:00Z' : null,
    labels: more.labels ?? [],
    notes: more.note ? [{ id: 'n', tokens: null, text: more.note, written_at: '2026-11-21T12:00:00Z' }] : [],
  })
  const elsewhere = { ...mark(0, { flagged: true }), record: 'ffffffffffffffff' }
  const marks = [mark(2, { flagged: true }), mark(3, { labels: ['odd'] }), mark(5, { note: 'look here' }), elsewhere]
  await writeFile(join(folder, 'marks.json'), formatMarks(marks))
  await writeFile(join(folder, 'broken.json'), '{"format": "something"}')
})

afterAll(() => rm(folder, { recursive: true }))

const cli = (...argv: string[]) => commandLine([...argv, '--tokenizer', 'qwen2.5'], { directory: folder })

async function exported(...choice: string[]): Promise<{ ids: string[]; why: string; err: string }> {
  const ran = await cli('export', 'dump.jsonl', ...choice, '--as', 'source', '--out', 'out.jsonl')
  expect(ran.code).toBe(0)
  const text = await readFile(join(folder, 'out.jsonl'), 'utf8')
  const manifest = JSON.parse(await readFile(join(folder, 'out.jsonl.manifest.json'), 'utf8'))
  const ids = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id as string)
  for (const line of text.trimEnd().split('\n')) expect(lines).toContain(line)
  return { ids, why: JSON.stringify(manifest), err: ran.err }
}

describe('export', () => {
  test.each([
    ['finding:M01', ['q1', 'q4']],
    ['-finding:M01 reward>0.5', ['q0', 'q2']],
    ['"town 3"', ['q3']],
    ['part:assistant "Quill, 5"', ['q5']],
    ['state:trained part:tool', ['q1', 'q4']],
  ])('--where %s', async (query, ids) => {
    const written = await exported('--where', query)
    expect(written.ids).toEqual(ids)
    expect(written.why).toContain(JSON.stringify(`query ${query}`))
  })

  test('--flags takes what a person flagged, and says what is not here', async () => {
    const { ids, why, err } = await exported('--flags', 'marks.json')
    expect(ids).toEqual(['q2'])
    expect(why).toContain('flagged by a person')
    expect(err).toContain('1 rollout of marks.json is not in what was read.')
  })

  test('with --where the query decides, and may ask for marks', async () => {
    expect((await exported('--flags', 'marks.json', '--where', 'flag or label:odd or note:LOOK')).ids).toEqual([
      'q2',
      'q3',
      'q5',
    ])
  })

  test('--flagged narrows both', async () => {
    expect((await exported('--flagged', '--where', 'index>1')).ids).toEqual(['q4'])
  })

  test('nothing that fits is said, and nothing written', async () => {
    const ran = await cli('export', 'dump.jsonl', '--where', 'reward>5', '--as', 'source', '--out', 'none.jsonl')
    expect(ran).toMatchObject({ code: 0, out: '' })
    expect(ran.err).toContain('No rollout was chosen (query reward>5)')
    await expect(readFile(join(folder, 'none.jsonl'))).rejects.toThrow()
  })
})

describe('what cannot be asked is refused before anything is read', () => {
  const refused = async (...choice: string[]) => {
    const ran = await cli('export', 'dump.jsonl', ...choice, '--as', 'source', '--out', 'refused')
    expect(ran.code).toBe(2)
    return ran.err
  }

  test('a query, with what is wrong under its column', async () => {
    const err = await refused('--where', 'reward>0.5 lenght>10')
    expect(err).toBe(
      [
        '--where: There is no field `lenght`. Did you mean `length`? To search for a text',
        '  with such a sign, put it into quotes.',
        '  reward>0.5 lenght>10',
        '             ^^^^^^',
        '',
      ].join('\n'),
    )
  })

  test('a long query is shown around what is wrong, wide characters and all', async () => {
    const err = await refused('--where', `${'"東京" '.repeat(30)}rewrd>1`)
    const [query, carets] = err.trimEnd().split('\n').slice(-2) as [string, string]
    expect(query.length).toBeLessThan(100)
    expect(query).toContain('rewrd>1')
    expect(carets.trim()).toBe('^^^^^')
  })

  test('marks without a file of them', async () => {
    expect(await refused('--where', '-flag')).toContain('name the file that the app exported')
  })

  test('a file that holds no marks, or is not there', async () => {
    expect(await refused('--flags', 'broken.json')).toContain('broken.json holds no marks')
    expect(await refused('--flags', 'nowhere.json')).toContain('nowhere.json does not exist')
  })

  test('no choice at all', async () => {
    expect(await refused()).toMatch(/--where those that fit\s+a query/)
  })
})

describe('show', () => {
  test('the first that fits, and where in it', async () => {
    const ran = await cli('show', 'dump.jsonl', '--where', '"town 3"')
    expect(ran.code).toBe(0)
    expect(ran.out).toMatch(/^the first of 1 rollout that fits, found at tokens \d+–\d+\nrollout q3/)
  })

  test('none that fits', async () => {
    const ran = await cli('show', 'dump.jsonl', '--where', 'reward>5')
    expect(ran.code).toBe(2)
    expect(ran.err).toContain('Rollouts where reward is above 5.')
  })
})
