import { mkdir, readFile, rmdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import { commandLine } from './command-line.ts'
import { DumpFolder, withTokenizer } from './dump-folder.ts'

const dumps = new DumpFolder()
const { cli, reportOf } = dumps

/** Runs what must be refused before a byte of its input is asked for. */
async function refusedUnread(argv: readonly string[]) {
  let hasRead = false
  const stdin = (function* () {
    hasRead = true
    yield ''
  })()
  const ran = await commandLine([...argv], { directory: dumps.path, stdin })
  expect(ran.code).toBe(2)
  expect(hasRead).toBe(false)
  return ran
}

describe('exit codes', () => {
  test.each([
    ['nothing wrong', 0, ['inspect', 'clean.jsonl']],
    ['a finding', 1, ['inspect', 'faulty.jsonl']],
    ['a finding that is let pass', 0, ['inspect', 'faulty.jsonl', '--fail-on', 'none']],
    ['a finding that is intended', 0, ['inspect', 'faulty.jsonl', '--intend', 'M01']],
    ['partly bad', 0, ['inspect', 'partly-bad.jsonl']],
    ['one readable file among others', 1, ['inspect', 'notes.txt', 'binary.bin', 'faulty.jsonl']],
    ['a folder', 1, ['inspect', '.']],
    ['a pattern', 0, ['inspect', 'cl*.jsonl']],
    ['an unknown option', 2, ['inspect', 'clean.jsonl', '--jsno', '-']],
    ['no such path', 2, ['inspect', 'nowhere.jsonl']],
    ['no path', 2, ['inspect']],
    ['an unknown command', 2, ['inspekt', 'clean.jsonl']],
    ['no command', 2, []],
    ['an unknown check', 2, ['inspect', 'clean.jsonl', '--checks', 'Z99']],
    ['an unknown tokenizer', 2, ['inspect', 'clean.jsonl', '--tokenizer', 'gpt2']],
    ['text', 3, ['inspect', 'notes.txt']],
    ['an empty file', 3, ['inspect', 'empty.jsonl']],
    ['a binary', 3, ['inspect', 'binary.bin']],
    ['a folder with nothing in it', 3, ['inspect', 'nothing']],
    ['a description of a run without its rollouts', 3, ['inspect', 'metadata.json']],
  ])('%s: %i', async (_, code, argv) => {
    const ran = await cli(...argv)
    expect(ran.err + ran.out).not.toMatch(/\bat .*\.ts:\d+/)
    expect(ran.code).toBe(code)
    if (code >= 2) expect(ran.out).toBe('')
    if (code >= 2) expect(ran.err).not.toBe('')
  })

  test('--map as a refusal proposes it reads the file', async () => {
    const refused = await cli('inspect', 'unknown.jsonl')
    expect(refused.code).toBe(3)
    const proposed = /--map ((?:\S+=\S+\s*)+)/.exec(refused.err.replace(/\n\s+/g, ' '))?.[1]?.trim().split(/\s+/) ?? []
    expect(proposed).toEqual(['input_ids=sample.toks', 'loss_mask=sample.flags'])
    for (const command of [['inspect'], ['show', '--index', '0']]) {
      const read = await cli(...command, 'unknown.jsonl', '--map', ...proposed)
      expect(read.err).toBe('')
      expect(read.code).toBe(0)
    }
  })

  test.skipIf(process.platform !== 'linux')('a folder that cannot be made is refused, at once', async () => {
    const ran = await cli('export', 'faulty.jsonl', '--flagged', '--as', 'csv', '--out', '/proc/rollouts')
    expect(ran.code).toBe(2)
    expect(ran.err).toContain('/proc/rollouts/rollouts.csv could not be written')
  })

  test('an unknown option names the closest', async () => {
    expect((await cli('inspect', 'clean.jsonl', '--jsno', '-')).err).toContain('Did you mean --json?')
  })
})

describe('inspect', () => {
  test('names the fault, its rate and its place', async () => {
    const { out } = await cli('inspect', 'faulty.jsonl')
    expect(out).toContain('M01')
    expect(out).toContain('2 of 6 rollouts (33.3 %)')
    expect(out).toMatch(/rollout q1,\s+turn 3/)
    expect(out).toContain('2 findings at or above error.')
    for (const row of out.split('\n')) expect(row.length).toBeLessThanOrEqual(100)
  })

  test('chooses the tokenizer from the ids and says why', async () => {
    const ran = await commandLine(['inspect', 'faulty.jsonl', '--json', '-'], { directory: dumps.path })
    const { tokenizer }: Report = JSON.parse(ran.out)
    expect(tokenizer).toMatchObject({ id: 'qwen2.5', origin: 'bundled' })
    expect(tokenizer.evidence.length).toBeGreaterThan(0)
  })

  test('the clean twin is silent', async () => {
    const report = await reportOf('clean.jsonl')
    expect(report.findings.filter(({ severity }) => severity !== 'info')).toEqual([])
    expect(report.checks.filter(({ status, severity }) => status === 'fail' && severity !== 'info')).toEqual([])
  })

  test.each([
    ['inspect', '-', '--json', 'notes.txt/report.json'],
    ['inspect', '-', '--format', 'html', '--out', 'notes.txt/new/report.html'],
    ['export', '-', '--flagged', '--as', 'csv', '--out', 'notes.txt/tables'],
  ])('%s: an output that has no place is refused before anything is read: %s %s', async (...argv) => {
    const ran = await refusedUnread(argv)
    expect(ran.err.replace(/\s+/g, ' ')).toMatch(/could not be written: .*notes\.txt is no folder\./)
  })

  test.each([
    ['inspect', '-', '--json', 'nothing'],
    ['inspect', '-', '--format', 'html', '--out', 'nothing'],
  ])('a folder is no place for a report, which is said before anything is read: %s %s %s', async (...argv) => {
    const ran = await refusedUnread(argv)
    expect(ran.err).toContain('nothing could not be written: it is a folder.')
  })

  test('an export whose name is that of a file and has no ending is refused before anything is read', async () => {
    await writeFile(join(dumps.path, 'plain'), 'kept')
    const ran = await refusedUnread(['export', '-', '--flagged', '--as', 'source', '--out', 'plain'])
    expect(ran.err.replace(/\s+/g, ' ')).toContain('--out plain is a file, and without an ending such as .jsonl')
  })

  // Nothing is closed to the system's own user.
  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'an export into a folder that is closed is refused before anything is read',
    async () => {
      const folder = join(dumps.path, 'closed')
      await mkdir(folder, { mode: 0o555 })
      const ran = await refusedUnread(['export', '-', '--flagged', '--as', 'csv', '--out', 'closed'])
      await rmdir(folder)
      expect(ran.err).toContain('closed could not be written: that folder may not be written to.')
    },
  )

  test('--json - is the report and nothing else', async () => {
    const { out } = await cli('inspect', 'faulty.jsonl', '--json', '-')
    const report: Report = JSON.parse(out)
    expect(report.schema).toBe('rollout-inspector.report/1')
    expect(report.sources[0]).toMatchObject({ name: 'faulty.jsonl', container: 'jsonl', records: 6, trajectories: 6 })
    expect(report.findings.map(({ code, record }) => [code, record])).toEqual([
      ['M01', 1],
      ['M01', 4],
    ])
  })

  test('two forms of a report are not written to one file, whichever way it is named', async () => {
    await symlink('report.out', join(dumps.path, 'other.out'))
    for (const out of ['report.out', './report.out', 'other.out']) {
      const both = ['--json', 'report.out', '--format', 'markdown', '--out', out]
      await writeFile(join(dumps.path, 'report.out'), 'before')
      expect(await cli('inspect', 'clean.jsonl', ...both)).toEqual({
        code: 2,
        out: '',
        err: '--json and --out both name report.out. Give one of them another path.\n',
      })
      expect(await readFile(join(dumps.path, 'report.out'), 'utf8')).toBe('before')
    }
    const apart = await cli(
      'inspect',
      'clean.jsonl',
      '--json',
      '/dev/null',
      '--format',
      'markdown',
      '--out',
      '/dev/null',
    )
    expect(apart.code).toBe(0)
  })

  test('the same findings through gzip, as an array and from standard input', async () => {
    const plain = await reportOf('faulty.jsonl')
    for (const name of ['faulty.jsonl.gz', 'faulty.json']) {
      const other = await reportOf(name)
      expect(other.totals).toEqual(plain.totals)
      expect(other.checks).toEqual(plain.checks)
      expect(other.findings.map(({ fingerprint }) => fingerprint)).toEqual(
        plain.findings.map(({ fingerprint }) => fingerprint),
      )
    }
    const piped = await commandLine(withTokenizer(['inspect', '-', '--json', '-']), {
      stdin: `${dumps.faulty.join('\n')}\n`,
    })
    expect(JSON.parse(piped.out).findings).toEqual(plain.findings)
    expect(JSON.parse(piped.out).sources[0].sha256).toBe(plain.sources[0]!.sha256)
  })

  test('the report is the same for every number of jobs', async () => {
    expect(await reportOf('faulty.jsonl', '--jobs', '1')).toEqual(await reportOf('faulty.jsonl', '--jobs', '7'))
  })

  test('a bad record is listed with its place and costs no neighbour', async () => {
    const report = await reportOf('partly-bad.jsonl')
    expect(report.sources[0]!.skipped).toMatchObject([{ record: 1, line: 2, code: 'bad-json' }])
    expect(report.totals.trajectories).toBe(6)
    expect((await cli('inspect', 'partly-bad.jsonl')).out).toContain('skipped record 1 (line 2)')
  })

  test('what could not be read is told beside what could', async () => {
    const ran = await cli('inspect', 'notes.txt', 'clean.jsonl')
    expect(ran.out).toContain('not read  notes.txt')
    const json = await cli('inspect', 'notes.txt', 'clean.jsonl', '--json', '-')
    expect(JSON.parse(json.out).totals.trajectories).toBe(6)
    expect(json.err).toContain('not read: notes.txt')
  })

  test('a baseline: what it has does not fail, what is new does', async () => {
    await cli('inspect', 'faulty.jsonl', '--json', 'baseline.json')
    const same = await cli('inspect', 'faulty.jsonl', '--baseline', 'baseline.json')
    expect(same.code).toBe(0)
    expect(same.out).toMatch(/Against the baseline: 0 new findings, [1-9]\d* known, 0 gone\./)
    expect((await cli('inspect', 'clean.jsonl', '--baseline', 'baseline.json')).out).toMatch(
      /Against the baseline: 0 new findings, 0 known, [1-9]\d* gone\./,
    )
    await cli('inspect', 'clean.jsonl', '--json', 'clean-baseline.json')
    expect((await cli('inspect', 'faulty.jsonl', '--baseline', 'clean-baseline.json')).code).toBe(1)
    expect(
      (await cli('inspect', 'faulty.jsonl', '--baseline', 'clean-baseline.json', '--max-findings', '0')).code,
    ).toBe(1)
    const wrong = await cli('inspect', 'faulty.jsonl', '--baseline', 'faulty.json')
    expect(wrong.code).toBe(2)
    expect(wrong.err).toContain('is no report of this program')
  })

  test('--max-findings cuts the list, never the counts or the exit code', async () => {
    const ran = await cli('inspect', 'faulty.jsonl', '--max-findings', '0', '--json', '-')
    const report: Report = JSON.parse(ran.out)
    expect(report.findings).toEqual([])
    expect(report.findings_omitted).toBe(2)
    expect(report.checks.find(({ code }) => code === 'M01')?.affected).toBe(2)
    expect(ran.code).toBe(1)
  })

  test('--hypothesis runs only the checks that the verdict rests on, and fails by those', async () => {
    const checks = async (...how: string[]) => (await reportOf('faulty.jsonl', ...how)).checks.map(({ code }) => code)
    expect(await checks('--hypothesis', 'H03')).toEqual(['L10', 'L11'])
    expect(await checks('--hypothesis', 'H02')).toContain('M01')
    expect((await cli('inspect', 'faulty.jsonl', '--hypothesis', 'H02')).code).toBe(1)
    expect((await cli('inspect', 'faulty.jsonl', '--hypothesis', 'H03')).code).toBe(0)
  })

  test('--checks runs only those, --hypothesis judges only those', async () => {
    const report = await reportOf('faulty.jsonl', '--checks', 'M01', 'T05', '--hypothesis', 'H02')
    expect(report.checks.map(({ code }) => code)).toEqual(['M01', 'T05'])
    expect(report.hypotheses.map(({ id }) => id)).toEqual(['H02'])
  })

  test('--render-texts shows texts as tokens, marked as reconstructed', async () => {
    const messages = [
      { role: 'user', content: 'Who founded Quillfort?' },
      { role: 'assistant', content: 'Maud Ester did.' },
    ]
    await writeFile(join(dumps.path, 'texts.jsonl'), `${JSON.stringify({ messages, reward: 1, group_id: 'g' })}\n`)
    const how = ['texts.jsonl', '--tokenizer', 'qwen2.5', '--render-texts']
    const [source] = (await reportOf(...how)).sources
    expect(source).toMatchObject({ rendering: { tokenizer: 'qwen2.5', rollouts: 1, of: 1 } })
    const shown = await cli('show', ...how, '--index', '0')
    expect(shown.out).toMatch(/reconstructed: no token ids in this dump/)
    expect(shown.out).toMatch(/<\|im_start\|>assistant⏎/)
    const plain = await cli('show', 'texts.jsonl', '--index', '0')
    expect(plain.out).not.toContain('<|im_start|>')
  })

  test('--read-as settles which of two formats a file is of', async () => {
    const record = {
      input: 'Who?',
      output: 'She.',
      score: 1,
      step: 3,
      prompt: 'Who?',
      completion: 'She.',
      advantage: 0.5,
    }
    await writeFile(join(dumps.path, 'either.jsonl'), `${JSON.stringify(record)}\n`)
    const asked = await cli('inspect', 'either.jsonl')
    expect(asked.out.replace(/\s+/g, ' ')).toMatch(/may be of trl or of verl, .* --read-as verl/)
    for (const named of ['verl', 'either.jsonl=verl']) {
      expect((await reportOf('either.jsonl', '--read-as', named)).sources[0]?.format?.id).toBe('verl')
    }
    // One name for all files is meant for those that may be of it; that it had no effect is said.
    const notes = async (...named: string[]) => (await reportOf('clean.jsonl', ...named)).sources[0]?.notes ?? []
    expect(await notes('--read-as', 'slime')).toEqual([
      'Its records are not of slime, which --read-as names for all files: they are read as native.',
    ])
    for (const named of [[], ['--read-as', 'native'], ['--read-as', 'either.jsonl=verl']])
      expect(await notes(...named)).toEqual([])
    // A file that is named is refused, and not taken for settings because its records name a model and a limit.
    const named = { input_ids: [1, 2], loss_mask: [0, 1], model: 'm', limits: { max_seq_len: 64 } }
    await writeFile(join(dumps.path, 'named.jsonl'), `${JSON.stringify(named)}\n`)
    const refused = await cli('inspect', 'named.jsonl', '--read-as', 'named.jsonl=slime')
    expect(refused.code).toBe(3)
    expect(refused.err.replace(/\s+/g, ' ')).toContain('named.jsonl was to be read as slime, which its records are not')
    const wrong = await cli('inspect', 'either.jsonl', '--read-as', 'verll')
    expect(wrong.code).toBe(2)
    expect(wrong.err).toContain('Did you mean verl?')
  })

  test('--dataset tells which prompts never became a rollout', async () => {
    const asked = (town: number) => `Who founded the harbour of town ${town}?`
    const questions = Array.from({ length: 40 }, (_, i) =>
      i % 7 === 0 ? asked(i / 7) : `${asked(i + 100)} Say it in as many words as you can.`,
    )
    await writeFile(
      join(dumps.path, 'prompts.jsonl'),
      questions.map((question) => `${JSON.stringify({ question })}\n`).join(''),
    )
    const statusOf = (report: Report) => report.checks.find(({ code }) => code === 'C11')?.status
    expect(statusOf(await reportOf('clean.jsonl'))).toBe('not-checkable')
    expect(statusOf(await reportOf('clean.jsonl', '--dataset', 'prompts.jsonl'))).toBe('fail')
    expect((await cli('inspect', 'clean.jsonl', '--dataset', 'prompt.jsonl')).code).toBe(2)
    await writeFile(join(dumps.path, 'empty.jsonl'), '')
    await writeFile(join(dumps.path, 'weights.jsonl'), '{"weight": 1}\n{"weight": 2}\n')
    for (const [name, why] of [
      ['notes.txt', /^--dataset: the dataset could not be read: notes\.txt/],
      ['empty.jsonl', /^--dataset: .*empty\.jsonl is empty/],
      ['weights.jsonl', /^--dataset: none of 2 records of weights\.jsonl has a prompt/],
    ] as const) {
      const unread = await cli('inspect', 'clean.jsonl', '--dataset', name)
      expect(unread.code).toBe(2)
      expect(unread.out).toBe('')
      expect(unread.err).toMatch(why)
    }
    const partly = await cli('inspect', 'clean.jsonl', '--dataset', 'prompts.jsonl', 'notes.txt')
    expect(partly.code).toBe(0)
    expect(partly.out).toContain('not read  notes.txt')
    expect((await cli('inspect', 'clean.jsonl', '--dataset', 'prompts.jsonl', '--json', 'prompts.jsonl')).code).toBe(2)
  })

  test('--against brings a second run: what needs two is judged, and the report stays that of the first', async () => {
    const verdictOf = (report: Report) => report.hypotheses.find(({ id }) => id === 'H08')
    expect(verdictOf(await reportOf('faulty.jsonl'))?.verdict).toBe('not-checkable')
    const later = dumps.faulty.map((line) => JSON.stringify({ ...JSON.parse(line), step: 9 }))
    await writeFile(join(dumps.path, 'later.jsonl'), later.join('\n'))
    const report = await reportOf('faulty.jsonl', '--against', 'later.jsonl')
    expect(report.sources.map(({ name }) => name)).toEqual(['faulty.jsonl'])
    expect(verdictOf(report)).toMatchObject({ verdict: 'contradicted' })
    expect((await cli('inspect', 'clean.jsonl', '--against')).err).toContain('--against needs a value: --against PATH…')
    const nowhere = await cli('inspect', 'clean.jsonl', '--against', 'clean.jsonl', 'nowhere.jsonl')
    expect(nowhere).toMatchObject({ code: 2, err: expect.stringContaining('nowhere.jsonl') })
  })

  test('--limit and --sample take whole groups, and a seed says which', async () => {
    expect((await reportOf('clean.jsonl', '--limit', '2')).totals).toMatchObject({ trajectories: 2, groups: 1 })
    const limited = await cli('inspect', 'clean.jsonl', '--limit', '1')
    expect(limited.out.replaceAll(/\s+/g, ' ')).toMatch(
      /2 in 1 group, .*; chosen by --limit 1, which keeps groups whole/,
    )
    const sampled = await reportOf('clean.jsonl', '--sample', '2', '--seed', '7')
    expect(sampled.totals).toMatchObject({ trajectories: 2, groups: 1 })
    expect(await reportOf('clean.jsonl', '--sample', '2', '--seed', '7')).toEqual(sampled)
  })

  test.each([
    ['sarif', /"version": "2\.1\.0"/],
    ['junit', /^<\?xml/],
    ['markdown', /^# Rollout Inspector report/],
    ['html', /^<!doctype html>/],
  ])('--format %s to standard output or a file', async (format, start) => {
    const ran = await cli('inspect', 'faulty.jsonl', '--format', format)
    expect(ran.code).toBe(1)
    expect(ran.out).toMatch(start)
    expect(ran.out).toContain('M01')
    const toFile = await cli('inspect', 'faulty.jsonl', '--format', format, '--out', `new/report.${format}`)
    expect(toFile.out).toContain('findings at or above error')
    expect(await readFile(join(dumps.path, 'new', `report.${format}`), 'utf8')).toBe(ran.out)
  })

  test('an input is never overwritten, not even through a link', async () => {
    const before = await readFile(join(dumps.path, 'clean.jsonl'), 'utf8')
    await symlink(join(dumps.path, 'clean.jsonl'), join(dumps.path, 'link.out'))
    for (const target of ['clean.jsonl', './clean.jsonl', 'link.out']) {
      const ran = await cli('inspect', 'clean.jsonl', '--json', target)
      expect(ran.code).toBe(2)
      expect(ran.err).toContain('is one of the files that are read')
    }
    expect(await readFile(join(dumps.path, 'clean.jsonl'), 'utf8')).toBe(before)
  })

  test('a terminal that can only print gets no line that is written over', async () => {
    const ran = await commandLine(['inspect', 'clean.jsonl'], {
      directory: dumps.path,
      tty: true,
      env: { TERM: 'dumb' },
    })
    expect([ran.code, ran.err]).toEqual([0, ''])
    expect(ran.out).not.toContain('\u001b')
  })

  test('progress is for terminals only, and leaves nothing behind', async () => {
    expect((await cli('inspect', 'clean.jsonl')).err).toBe('')
    const ran = await commandLine(withTokenizer(['inspect', 'clean.jsonl']), { directory: dumps.path, tty: true })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the line that is cleared
    expect(ran.err.replace(/^.*\r\u001b\[K/s, '')).toBe('')
    expect(ran.out).toContain('\u001b[')
  })
})
