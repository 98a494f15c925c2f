import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import { DumpFolder } from './dump-folder.ts'

const dumps = new DumpFolder()
const { cli, reportOf } = dumps

describe('export', () => {
  const exported = async (name: string) => readFile(join(dumps.path, name), 'utf8')

  test('--as source gives the lines themselves, and a manifest', async () => {
    const ran = await cli('export', 'faulty.jsonl', '--flagged', '--as', 'source', '--out', 'flagged.jsonl')
    expect(ran.code).toBe(0)
    expect(await exported('flagged.jsonl')).toBe(`${dumps.faulty[1]}\n${dumps.faulty[4]}\n`)
    const manifest = JSON.parse(await exported('flagged.jsonl.manifest.json'))
    expect(manifest).toMatchObject({
      schema: 'rollout-inspector.export/1',
      as: 'source',
      sources: [{ name: 'faulty.jsonl', sha256: expect.stringMatching(/^[0-9a-f]{64}$/), format: 'native' }],
      trajectories: [
        { record: 1, trajectory: 'q1', findings: ['M01'] },
        { record: 4, trajectory: 'q4', findings: ['M01'] },
      ],
    })
  })

  test('--as source of gzip is the lines, of an array an array', async () => {
    await cli('export', 'faulty.jsonl.gz', 'faulty.json', '--flagged', '--as', 'source', '--out', 'both')
    expect((await readdir(join(dumps.path, 'both'))).sort()).toEqual([
      'faulty.0.selected.jsonl',
      'faulty.1.selected.json',
      'manifest.json',
    ])
    expect(await exported('both/faulty.0.selected.jsonl')).toBe(`${dumps.faulty[1]}\n${dumps.faulty[4]}\n`)
    expect(JSON.parse(await exported('both/faulty.1.selected.json'))).toEqual([
      JSON.parse(dumps.faulty[1]!),
      JSON.parse(dumps.faulty[4]!),
    ])
  })

  test('says what it replaced, and what of an earlier export no manifest tells of any more', async () => {
    const first = await cli('export', 'faulty.jsonl', '--flagged', '--as', 'csv', '--out', 'again')
    expect(first.err).not.toContain('replaced')
    const same = await cli('export', 'faulty.jsonl', '--flagged', '--as', 'csv', '--out', 'again')
    expect(same.err.match(/replaced what was there/g)).toHaveLength(3)
    expect(same.err).not.toContain('earlier export')
    const { err } = await cli('export', 'faulty.jsonl', '--flagged', '--as', 'native', '--out', 'again')
    expect(err.replace(/\s+/g, ' ')).toMatch(/again\/manifest\.json, replaced what was there/)
    expect(err.replace(/\s+/g, ' ')).toContain(
      'again/rollouts.csv, again/findings.csv are of an earlier export as csv, of which the manifest no longer tells.',
    )
  })

  test('--as csv names its columns, in an order that programs may rely on', async () => {
    await cli('export', 'faulty.jsonl', '--flagged', '--as', 'csv', '--out', 'tables')
    const table = async (name: string) => {
      const [head = [], ...rows] = Papa.parse<string[]>(await exported(`tables/${name}`), { skipEmptyLines: true }).data
      expect(rows.every((row) => row.length === head.length)).toBe(true)
      return {
        head: head.join(' '),
        rows: rows.map((row) => Object.fromEntries(head.map((each, at) => [each, row[at]]))),
      }
    }
    const rollouts = await table('rollouts.csv')
    expect(rollouts.head).toBe(
      'source record part trajectory group step model reward advantage tokens tokens_without_padding prompt_tokens ' +
        'trained masked padding unknown loss_weight lost turns assistant_turns tool_turns end_reason finish_reason ' +
        'is_truncated excluded findings reward.em reward.f1',
    )
    expect(rollouts.rows).toMatchObject([
      {
        source: 'faulty.jsonl',
        record: '1',
        part: '0',
        trajectory: 'q1',
        findings: 'M01',
        unknown: '0',
        excluded: 'false',
      },
      {
        source: 'faulty.jsonl',
        record: '4',
        part: '0',
        trajectory: 'q4',
        findings: 'M01',
        unknown: '0',
        excluded: 'false',
      },
    ])
    const counted = rollouts.rows.map((row) => [row.trained, row.masked, row.padding, row.unknown].map(Number))
    expect(counted.map((each) => each.reduce((sum, n) => sum + n, 0))).toEqual(
      rollouts.rows.map((row) => Number(row.tokens)),
    )
    const findings = await table('findings.csv')
    expect(findings.head).toBe(
      'source record part trajectory group code severity intended turn first_token end_token message fingerprint',
    )
    expect(findings.rows).toMatchObject([
      { record: '1', trajectory: 'q1', code: 'M01', severity: 'error', intended: 'false' },
      { record: '4', trajectory: 'q4', code: 'M01', severity: 'error', intended: 'false' },
    ])
    for (const { first_token, end_token } of findings.rows)
      expect(Number(end_token)).toBeGreaterThan(Number(first_token))
  })

  test('an advantage that is NaN is NaN in the native format as well, where it is the same fault', async () => {
    const row = { input_ids: [5, 6, 7, 8], loss_mask: [0, 0, 1, 1], advantage: 0.5 }
    const lines = `${JSON.stringify(row)}\n${JSON.stringify(row).replace('0.5', 'NaN')}\n`
    await writeFile(join(dumps.path, 'nan.jsonl'), lines)
    for (const [as, ending] of [
      ['native', 'jsonl'],
      ['parquet', 'parquet'],
    ] as const) {
      await cli('export', 'nan.jsonl', '--where', 'index:0..', '--as', as, '--out', `nan.out.${ending}`)
      const { out } = await cli('inspect', `nan.out.${ending}`, '--json', '-')
      const { findings } = JSON.parse(out) as Report
      expect(findings.map(({ code, record, message }) => [code, record, message])).toContainEqual([
        'S03',
        1,
        'the advantage is NaN, which is no finite number',
      ])
    }
  })

  test('a dash is no folder: an export has more than one file', async () => {
    const { code, err } = await cli('export', 'faulty.jsonl', '--flagged', '--as', 'native', '--out', '-')
    expect(code).toBe(2)
    expect(err).toContain('--out -: an export has a manifest beside it and needs a folder')
  })

  test('one file written over as another kind is one file', async () => {
    for (const as of ['native', 'source', 'native']) {
      const { err } = await cli('export', 'faulty.jsonl', '--flagged', '--as', as, '--out', 'over.jsonl')
      expect(err).not.toContain('earlier export')
    }
  })

  test('does not replace a manifest that no export wrote', async () => {
    await mkdir(join(dumps.path, 'site'), { recursive: true })
    for (const text of ['{"name": "a web app"}', 'no JSON']) {
      await writeFile(join(dumps.path, 'site', 'manifest.json'), text)
      const { code, err } = await cli('export', 'faulty.jsonl', '--flagged', '--as', 'native', '--out', 'site')
      expect([code, err.replace(/\s+/g, ' ')]).toEqual([
        2,
        expect.stringContaining('site/manifest.json is there, and no export wrote it. Name another folder for --out.'),
      ])
      expect(await exported('site/manifest.json')).toBe(text)
      expect(await readdir(join(dumps.path, 'site'))).toEqual(['manifest.json'])
    }
  })

  test('--as native reads the same again, with the numbers of the source', async () => {
    await cli('export', 'faulty.jsonl', '--flagged', '--as', 'native', '--out', 'native.jsonl')
    const written = (await exported('native.jsonl'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const source = [JSON.parse(dumps.faulty[1]!), JSON.parse(dumps.faulty[4]!)]
    for (const [i, record] of written.entries()) {
      for (const field of [
        'input_ids',
        'loss_mask',
        'sampled',
        'logprobs',
        'reward',
        'rewards',
        'id',
        'group_id',
        'messages',
        'tools',
      ]) {
        expect(record[field], field).toEqual(source[i][field])
      }
    }
    const report = await reportOf('native.jsonl')
    expect(report.findings.map(({ code, tokens, turn }) => [code, tokens, turn])).toEqual(
      (await reportOf('faulty.jsonl')).findings.map(({ code, tokens, turn }) => [code, tokens, turn]),
    )
  })

  test('--as csv gives two tables', async () => {
    await cli('export', 'faulty.jsonl', '--flagged', '--as', 'csv', '--out', 'tables')
    const rollouts = (await exported('tables/rollouts.csv')).trimEnd().split('\n')
    expect(rollouts).toHaveLength(3)
    expect(rollouts[0]).toMatch(/,findings,reward\.em,reward\.f1$/)
    expect(rollouts[1]).toMatch(/^faulty\.jsonl,1,0,q1,0,.*,M01,1,0\.25$/)
    expect(rollouts[2]).toContain(',0.7000000001,')
    expect((await exported('tables/findings.csv')).trimEnd().split('\n')).toHaveLength(3)
  })

  test('rows that were masked whole are trained again only where that is asked for', async () => {
    const ids = [151644, 872, 198, 9707, 151645, 198, 151644, 77091, 198, 13048, 13, 13]
    const whole = { token_ids: ids, token_loss_mask: ids.map(() => 0), sample_loss_mask: 1 }
    await writeFile(join(dumps.path, 'masked.jsonl'), `${JSON.stringify(whole)}\n`)
    const trained = async (...more: string[]) => {
      const out = `masked${more.length}`
      const ran = await cli(
        ...['export', 'masked.jsonl', '--where', 'tokens>0', '--tokenizer', 'qwen2.5'],
        ...['--as', 'source', '--repair-masks', ...more, '--out', out],
      )
      expect(ran.code).toBe(0)
      const { trajectories } = JSON.parse(await exported(`${out}/manifest.json`))
      const { token_loss_mask } = JSON.parse(await exported(`${out}/masked.selected.jsonl`))
      return [trajectories[0].repaired, token_loss_mask.includes(1)]
    }
    expect(await trained()).toEqual([0, false])
    expect(await trained('--repair-masked-whole')).toEqual([3, true])
  })

  test('nothing flagged is nothing written', async () => {
    const ran = await cli('export', 'clean.jsonl', '--flagged', '--as', 'source', '--out', 'none.jsonl')
    expect(ran.code).toBe(0)
    expect(ran.err).toContain('nothing was written')
    await expect(exported('none.jsonl')).rejects.toThrow()
  })

  test('where only warnings are found it says how these are taken', async () => {
    const ids = [151644, 872, 198, 9707, 151645, 198, 151644, 77091, 198, 13048, 151645, 198]
    const row = { input_ids: ids, loss_mask: ids.map((_, i) => Number(i > 8)) }
    await writeFile(join(dumps.path, 'warned.jsonl'), `${JSON.stringify(row)}\n`)
    const run = (...more: string[]) =>
      cli('export', 'warned.jsonl', '--flagged', ...more, '--as', 'source', '--out', 'warned.out.jsonl')
    expect((await run()).err.replace(/\s+/g, ' ')).toContain(
      'nothing was written. There are warnings: --fail-on warning',
    )
    await run('--fail-on', 'warning')
    expect(JSON.parse(await exported('warned.out.jsonl'))).toEqual(row)
  })

  test.each([
    [['--as', 'source', '--out', 'x'], /--flagged/],
    [['--flagged', '--out', 'x'], /--as source/],
    [['--flagged', '--as', 'native', '--out', 'x.jsonl.gz'], /exports are not compressed\. Name x\.jsonl, and/],
    [['--flagged', '--as', 'source'], /--out/],
    [
      ['--flagged', '--as', 'csv', '--repair-masks', '--out', 'x'],
      /--repair-masks goes with --as source, native, parquet, sft/,
    ],
    [
      ['--flagged', '--as', 'native', '--repair-masked-whole', '--out', 'x'],
      /--repair-masked-whole goes with --repair-masks/,
    ],
    [['--where', 'reward<1', '--fail-on', 'warning', '--as', 'native', '--out', 'x'], /--fail-on goes with --flagged/],
    [['--flagged', '--as', 'arrow', '--out', 'x'], /there are source, native, csv, parquet, sft, dpo/],
    [['--flagged', '--as', 'csv', '--out', 'x.csv'], /has to be a folder/],
    [['--flagged', '--as', 'source', '--out', 'faulty.jsonl'], /is one of the files that are read/],
  ])('%j is refused', async (argv, message) => {
    const ran = await cli('export', 'faulty.jsonl', ...argv)
    expect(ran.code).toBe(2)
    expect(ran.err.replace(/\s+/g, ' ')).toMatch(message)
  })
})
