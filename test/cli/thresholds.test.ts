import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLine } from './command-line.ts'
import { searchRollouts } from './dumps.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-thresholds-'))
  // Two of six rollouts train the reply of their tool: a sporadic fault, unless a third is enough.
  await writeFile(join(folder, 'dump.jsonl'), `${(await searchRollouts(6, [1, 4])).join('\n')}\n`)
})
afterAll(() => rm(folder, { recursive: true }))

const cli = (...argv: string[]) => commandLine(argv, { directory: folder })
const inspect = (...argv: string[]) => cli('inspect', 'dump.jsonl', '--tokenizer', 'qwen2.5', ...argv)

describe('--threshold', () => {
  test('moves what a check says, and the report tells', async () => {
    const pattern = async (...argv: string[]) => {
      const report = JSON.parse((await inspect('--json', '-', ...argv)).out)
      return [report.checks.find(({ code }: { code: string }) => code === 'M01').pattern, report.thresholds]
    }
    expect(await pattern()).toEqual(['sporadic', undefined])
    expect(await pattern('--threshold', 'systematic-share=0.3')).toEqual([
      'systematic',
      { 'systematic-share': { value: 0.3, default: 0.95 } },
    ])
    const twice = [
      '--threshold',
      'systematic-share=0.3',
      '--threshold=systematic-units=3',
      '--threshold',
      'systematic-share=0.2',
    ]
    expect(await pattern(...twice)).toEqual([
      'sporadic',
      { 'systematic-share': { value: 0.2, default: 0.95 }, 'systematic-units': { value: 3, default: 2 } },
    ])
    // Set to what it is already: nothing was changed.
    expect(await pattern('--threshold', 'systematic-units=2')).toEqual(['sporadic', undefined])
  })

  test('stands in the summary and in every report for people and CI', async () => {
    const set = ['--threshold', 'systematic-share=0.3']
    expect((await inspect(...set)).out).toMatch(/^thresholds systematic-share 0\.3 \(default 0\.95\)$/m)
    expect((await inspect()).out).not.toMatch(/^thresholds/m)
    // The rules of SARIF name their thresholds whether they were set or not.
    const wasSet = /systematic-share( 0\.3 \(default 0\.95\)|": \{)/
    for (const format of ['markdown', 'html', 'junit', 'sarif']) {
      expect((await inspect('--format', format, ...set)).out).toMatch(wasSet)
      expect((await inspect('--format', format)).out).not.toMatch(wasSet)
    }
  })

  test.each([
    [
      'near-limt-tokens=3',
      /There is no threshold near-limt-tokens\. The nearest are near-limit-tokens, .*checks CODE/s,
    ],
    ['near-limit-tokens=-3', /cannot be -3: a whole number from 0 to 100000/],
    ['near-limit-tokens', /a threshold is set as ID=VALUE/],
    ['near-limit-tokens=', /a threshold is set as ID=VALUE/],
    ['=3', /a threshold is set as ID=VALUE/],
    ['near-limit-tokens=ten', /a threshold is set as ID=VALUE/],
  ])('%s is a slip: told in a sentence, exit code 2', async (given, message) => {
    const { code, err, out } = await inspect('--threshold', given)
    expect([code, out]).toEqual([2, ''])
    expect(err.replaceAll('\n', ' ').replace(/ +/g, ' ')).toMatch(message)
  })

  test.each([
    ['show', ['--index', '0']],
    ['export', ['--flagged', '--as', 'csv', '--out', '.']],
  ])('is taken by %s as well', async (command, argv) => {
    const { code, err } = await cli(command, 'dump.jsonl', '--threshold', 'systematic-share=7', ...argv)
    expect([code, err]).toEqual([2, expect.stringContaining('systematic-share cannot be 7')])
  })
})

describe('checks', () => {
  test('lists the thresholds of a check with their reasons', async () => {
    const { out } = await cli('checks', 'a06')
    expect(out).toMatch(/duplicate-tokens: 32 \(tokens, 0 to 1,000,000\)\. Sampled ones from which/)
    expect(out).not.toMatch(/near-limit-tokens/)
  })

  test('gives them as JSON with each check', async () => {
    const rows = JSON.parse((await cli('checks', '--json')).out)
    const row = rows.find(({ code }: { code: string }) => code === 'C10')
    expect(row.thresholds.map(({ id }: { id: string }) => id)).toContain('tools-preamble-tokens')
    expect(row.thresholds.at(-1)).toEqual({
      id: 'tools-preamble-tokens',
      default: 200,
      unit: 'tokens',
      range: [0, 100_000],
      reason: expect.stringMatching(/^That a template writes/),
    })
  })

  test('tells by which numbers a verdict falls', async () => {
    const { out } = await cli('checks', 'h06-LORA', 'L08')
    expect(out).toMatch(/^L08 /m)
    expect(out).toMatch(/^H06-lora LoRA weight synchronization$/m)
    expect(out).toMatch(/h06-lora-gap-supported 0\.05 nats/)
    expect(JSON.parse((await cli('checks', 'H01', '--json')).out)).toMatchObject([
      { id: 'H01', thresholds: expect.any(Array) },
    ])
    const stranger = await cli('checks', 'H99')
    expect([stranger.code, stranger.err.includes('There is no check, defect or hypothesis H99.')]).toEqual([2, true])
    // Two hypotheses are numbered six.
    expect(JSON.parse((await cli('checks', 'h06', '--json')).out)).toMatchObject([
      { id: 'H06-library' },
      { id: 'H06-lora' },
    ])
    const slip = await cli('checks', 'M1')
    expect([slip.code, slip.err.includes('Did you mean M01?')]).toEqual([2, true])
  })
})
