import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import { commandLine } from './command-line.ts'
import { searchRollouts } from './dumps.ts'

let folder: string
const cli = (...argv: string[]) => commandLine(argv, { directory: folder })
const read = (name: string) => readFile(join(folder, name), 'utf8')
const oneLine = (text: string) => text.replace(/\s+/g, ' ')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-merge-'))
  const rollouts = await searchRollouts(12, [1, 7])
  for (const [i, name] of ['a', 'b', 'c'].entries()) {
    await mkdir(join(folder, 'run', `rank-${name}`), { recursive: true })
    await writeFile(
      join(folder, 'run', `rank-${name}`, 'dump.jsonl'),
      `${rollouts.slice(i * 4, i * 4 + 4).join('\n')}\n`,
    )
  }
  await writeFile(join(folder, 'run', 'rank-c', 'notes.txt'), 'Dear diary,\n')
  await writeFile(join(folder, 'notes.txt'), 'Dear diary,\n')
  for (const name of ['a', 'b', 'c'])
    await cli('inspect', `run/rank-${name}`, '--relative-to', 'run', '--json', `parts/rank-${name}.json`)
  await cli('inspect', 'run', '--relative-to', 'run', '--json', 'whole.json')
}, 60_000)

afterAll(() => rm(folder, { recursive: true }))

describe('merge', () => {
  test('writes what inspect writes of all files, in every form', async () => {
    expect((await cli('merge', 'parts', '--json', 'merged.json')).code).toBe(1)
    expect(await read('merged.json')).toBe(await read('whole.json'))
    const summaries = [await cli('merge', 'parts'), await cli('inspect', 'run')]
    expect(summaries[0]).toEqual(summaries[1])
    for (const format of ['sarif', 'junit', 'markdown']) {
      const at = await cli('inspect', 'run', '--format', format)
      expect(await cli('merge', 'parts', '--format', format)).toEqual(at)
    }
    const html = await cli('merge', 'parts', '--format', 'html', '--out', 'merged.html')
    expect(html.code).toBe(1)
    expect(await read('merged.html')).toContain('rank-a/dump.jsonl')
    expect(await read('merged.json')).toContain('"recordHash": "')
    expect(await read('merged.html')).not.toContain('recordHash')
  })

  test('takes files and patterns in their order, each once', async () => {
    const named = ['parts/rank-a.json', 'parts/rank-[ab].json', 'parts/rank-c.json']
    const { err } = await cli('merge', ...named, '--json', 'again.json')
    expect(await read('again.json')).toBe(await read('whole.json'))
    expect(oneLine(err)).toBe('rank-a.json was named more than once and counts once. ')
    const { out } = await cli('merge', 'parts/rank-b.json', 'parts/rank-a.json', '--json', '-')
    expect((JSON.parse(out) as Report).sources.map(({ name }) => name)).toEqual([
      'rank-b/dump.jsonl',
      'rank-a/dump.jsonl',
    ])
  })

  test('fails as inspect does: by severity, and not by what a baseline has', async () => {
    expect((await cli('merge', 'parts', '--fail-on', 'none')).code).toBe(0)
    expect((await cli('merge', 'parts', '--baseline', 'whole.json')).code).toBe(0)
    expect((await cli('merge', 'parts', '--baseline', 'parts/rank-a.json')).code).toBe(1)
  })

  test.each([0, 1, 2])('of lists cut to %i the exit code and JUnit say the same', async (most) => {
    const cut = async (command: string[]) => {
      const { code } = await cli(...command, '--format', 'junit', '--out', 'cut.xml')
      const xml = await read('cut.xml')
      expect(xml.includes('<failure'), command.join(' ')).toBe(code === 1)
      return { code, xml }
    }
    const few = ['--max-findings', String(most)]
    for (const name of ['a', 'b', 'c'])
      await cli('inspect', `run/rank-${name}`, '--relative-to', 'run', ...few, '--json', `cut-${most}/${name}.json`)
    const { findings }: Report = JSON.parse(await read('whole.json'))
    const isCut = findings.length > most
    // All were compared with the baseline before the list was cut.
    expect((await cut(['inspect', 'run', '--relative-to', 'run', '--baseline', 'whole.json', ...few])).code).toBe(0)
    expect((await cut(['inspect', 'run', '--relative-to', 'run', ...few])).code).toBe(1)
    // Those that no list has cannot be compared with it.
    const merged = await cut(['merge', `cut-${most}`, '--baseline', 'whole.json'])
    expect(merged.code).toBe(isCut ? 1 : 0)
    if (most === 1) expect(merged.xml).toContain('What fails is not in the list. The report lists')
  })

  test('a report of logs alone is one, as inspect has it', async () => {
    const steps = Array.from({ length: 8 }, (_, step) =>
      JSON.stringify({ step, 'train/reward': 0.5, 'train/kl': 0.01 }),
    )
    await writeFile(join(folder, 'metrics.jsonl'), `${steps.join('\n')}\n`)
    const inspected = await cli('inspect', 'metrics.jsonl', '--json', 'logs/metrics.json')
    const merged = await cli('merge', 'logs', '--json', '-')
    expect([inspected.code, merged.code]).toEqual([0, 0])
    expect((JSON.parse(merged.out) as Report).logs?.map(({ name }) => name)).toEqual(['metrics.jsonl'])
  })

  test('reports that were written with a baseline are whole', async () => {
    for (const name of ['a', 'b', 'c']) {
      const options = ['--baseline', 'whole.json', '--relative-to', 'run', '--json', `known/${name}.json`]
      expect((await cli('inspect', `run/rank-${name}`, ...options)).code).toBe(0)
    }
    await cli('merge', 'known', '--json', 'known.json')
    expect(await read('known.json')).toBe(await read('whole.json'))
    const few = async (name: string, ...more: string[]) => {
      const options = ['--max-findings', '1', '--json', name, ...more]
      await cli('inspect', 'run', '--relative-to', 'run', ...options)
      return read(name)
    }
    expect(await few('few-known.json', '--baseline', 'whole.json')).toBe(await few('few.json'))
  })

  test('a part of which nothing could be read is told with its reason', async () => {
    const unread = await cli('inspect', 'notes.txt', '--json', 'unread/notes.json')
    expect(unread.code).toBe(3)
    expect((await cli('merge', 'parts/rank-a.json', 'unread', '--json', 'both.json')).code).toBe(1)
    const { sources }: Report = JSON.parse(await read('both.json'))
    expect(sources.map(({ name, unreadable }) => [name, unreadable?.code])).toEqual([
      ['rank-a/dump.jsonl', undefined],
      ['notes.txt', 'not-json'],
    ])
    const alone = await cli('merge', 'unread', '--json', '-')
    expect(alone.code).toBe(3)
    expect(JSON.parse(alone.out)).toMatchObject({ totals: { trajectories: 0 } })
    expect(alone.err).toContain('Nothing could be read')
  })

  test('takes a report from standard input, in its place', async () => {
    const stdin = await read('parts/rank-b.json')
    const { out, err } = await commandLine(
      ['merge', 'parts/rank-a.json', '-', 'parts/rank-c.json', '-', '--json', '-'],
      { directory: folder, stdin },
    )
    expect(out).toBe(await read('whole.json'))
    expect(oneLine(err)).toContain('standard input was named more than once and counts once.')
  })

  test('judges against the reports of a second run', async () => {
    const h08 = (text: string) => (JSON.parse(text) as Report).hypotheses.find(({ id }) => id === 'H08')?.verdict
    const { out } = await cli(
      'merge',
      'parts/rank-a.json',
      '--json',
      '-',
      '--against',
      'parts/rank-b.json',
      'parts/rank-c.json',
    )
    const at = ['inspect', 'run/rank-a', '--relative-to', 'run', '--json', '-', '--against', 'run/rank-b', 'run/rank-c']
    expect(out).toBe((await cli(...at)).out)
    expect(h08(out)).toBeDefined()
  })

  test('names groups that the parts have torn and that stay incomplete', async () => {
    const rollouts = (await searchRollouts(8, [])).map((_line, i, all) => {
      // The two of a group have the same question.
      const { group_size: _, ...record } = JSON.parse(all[i - (i % 2)] as string)
      return { ...record, id: `q${i}`, reward: i / 8 }
    })
    const write = (name: string, rows: readonly object[]) =>
      writeFile(join(folder, name), rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    await write('torn-1.jsonl', rollouts.slice(0, 5))
    await write('torn-2.jsonl', rollouts.slice(5))
    await cli('inspect', 'torn-1.jsonl', '--json', 'torn/1.json')
    await cli('inspect', 'torn-2.jsonl', '--json', 'torn/2.json')
    const { err } = await cli('merge', 'torn', '--json', '-')
    expect(oneLine(err)).toContain('1 group has rollouts in several reports and is incomplete: 2 (1.json 1, 2.json 1).')
    expect(oneLine(err)).toContain('Where the reports hold them whole, inspect with --group-size.')
    await cli('inspect', 'torn-1.jsonl', '--group-size', '2', '--json', 'joined/1.json')
    await cli('inspect', 'torn-2.jsonl', '--group-size', '2', '--json', 'joined/2.json')
    const joined = await cli('merge', 'joined', '--json', '-')
    expect(joined.err).toBe('')
    expect(joined.out).toBe((await cli('inspect', 'torn-[12].jsonl', '--group-size', '2', '--json', '-')).out)
  })

  test('does not advise to declare the size of torn groups that declare it', async () => {
    const rows = (await searchRollouts(4, [])).map((line, i) => ({ ...JSON.parse(line), id: `d${i}`, group_size: 8 }))
    const same = rows.map((row, i) => ({ ...row, ...rows[0], id: `d${i}` }))
    const half = async (name: string, records: readonly object[]) => {
      await writeFile(join(folder, `${name}.jsonl`), records.map((row) => `${JSON.stringify(row)}\n`).join(''))
      await cli('inspect', `${name}.jsonl`, '--json', `of-eight/${name}.json`)
    }
    await half('eight-1', same.slice(0, 2))
    await half('eight-2', same.slice(2))
    const { err } = await cli('merge', 'of-eight', '--json', '-')
    expect(oneLine(err)).toContain('1 group has rollouts in several reports and is incomplete')
    expect(err).not.toContain('--group-size')
  })

  test('says when files of one name cannot be told apart', async () => {
    for (const name of ['a', 'b']) await cli('inspect', `run/rank-${name}`, '--json', `alike/${name}.json`)
    const { err } = await cli('merge', 'alike', '--json', '-')
    expect(oneLine(err)).toContain('2 files are called dump.jsonl, and only their numbers')
    expect((await cli('merge', 'parts', '--json', '-')).err).not.toContain('are called')
  })

  test.each<[string, number, string[], string]>([
    ['nothing', 2, [], 'Name the reports to merge'],
    ['a report that is not there', 2, ['parts/none.json'], 'parts/none.json does not exist'],
    ['an empty folder', 2, ['empty'], 'empty holds no files'],
    [
      'one that does not go with the others',
      2,
      ['parts', 'sft.json'],
      '--policy is not given in rank-a.json and sft in sft.json',
    ],
    ['one twice', 2, ['parts', 'indented.json'], 'rank-a.json and indented.json hold the same file: rank-a/dump.jsonl'],
    ['a copy of one', 2, ['parts', 'copy.json'], 'rank-a.json and copy.json are the same report, byte for byte'],
    ['a dump', 3, ['run/rank-a/dump.jsonl'], 'dump.jsonl is no JSON'],
    ['half a report', 3, ['half.json'], 'half.json is no JSON'],
    ['half a report beside a whole one', 2, ['parts/rank-a.json', 'half.json'], 'half.json is no JSON'],
    ['a whole one behind half a report', 2, ['half.json', 'parts/rank-a.json'], 'half.json is no JSON'],
    ['files with nothing in them', 3, ['strays'], 'a.json is no JSON (it is empty)'],
    ['halves against a whole one', 3, ['half.json', '--against', 'parts'], 'half.json is no JSON'],
    ['nothing on standard input', 3, ['-'], 'standard input is no JSON (it is empty)'],
    ['a baseline that is half a report', 2, ['parts', '--baseline', 'half.json'], '--baseline half.json is no JSON'],
    ['a baseline that is compressed', 2, ['parts', '--baseline', 'a.json.gz'], 'it is compressed with gzip: give the'],
    [
      'a baseline without fingerprints',
      2,
      ['parts', '--baseline', 'bare.json'],
      '--baseline bare.json is damaged: its',
    ],
    ['an option of inspect', 2, ['parts', '--policy', 'sft'], '--policy is not an option of this command'],
    [
      'an output that is an input',
      2,
      ['parts', '--json', 'parts/rank-b.json'],
      'parts/rank-b.json is one of the files',
    ],
  ])('%s: %i', async (_, code, argv, message) => {
    for (const made of ['empty', 'strays']) await mkdir(join(folder, made), { recursive: true })
    for (const stray of ['a', 'b']) await writeFile(join(folder, 'strays', `${stray}.json`), '')
    await writeFile(join(folder, 'a.json.gz'), gzipSync(await read('parts/rank-a.json')))
    await writeFile(
      join(folder, 'bare.json'),
      JSON.stringify({ ...JSON.parse(await read('whole.json')), findings: [{}] }),
    )
    await cli('inspect', 'run/rank-a', '--policy', 'sft', '--json', 'sft.json')
    await writeFile(join(folder, 'copy.json'), await read('parts/rank-a.json'))
    await writeFile(join(folder, 'indented.json'), JSON.stringify(JSON.parse(await read('parts/rank-a.json')), null, 7))
    await writeFile(join(folder, 'half.json'), (await read('parts/rank-a.json')).slice(0, 4000))
    const ran = await cli('merge', ...argv)
    expect(oneLine(ran.err)).toContain(message)
    expect(ran.err).not.toMatch(/\bat .*\.ts:\d+/)
    expect([ran.code, ran.out]).toEqual([code, ''])
  })
})

test('files are called by their place under --relative-to', async () => {
  const names = async (...argv: string[]) =>
    (JSON.parse((await cli('inspect', ...argv, '--json', '-')).out) as Report).sources.map(({ name }) => name)
  expect(await names('run/rank-b')).toEqual(['dump.jsonl'])
  expect(await names('run/rank-b', '--relative-to', '.')).toEqual(['run/rank-b/dump.jsonl'])
  expect(await names('run/rank-b/dump.jsonl', '--relative-to', 'run')).toEqual(['rank-b/dump.jsonl'])
  const outside = await cli('inspect', 'run/rank-b', '--relative-to', 'parts')
  expect(outside.code).toBe(2)
  expect(oneLine(outside.err)).toContain('is not under it')
})
