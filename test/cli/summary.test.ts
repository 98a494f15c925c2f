import { describe, expect, test } from 'vitest'
import { printSummary } from '../../cli/summary.ts'
import { createTerminal, displayWidth } from '../../cli/terminal.ts'
import type { Report } from '../../shared/model/report.ts'
import { finding, HOSTILE, report } from '../exports/report-fixture.ts'
import { audited } from '../session/dumps.ts'

function summary(
  of: Report,
  failOn: 'error' | 'warning' | 'none' = 'error',
  known: string[] = [],
  fails = known.length === 0,
): string {
  const written: string[] = []
  const terminal = createTerminal({ write: (text) => written.push(String(text)) }, {})
  printSummary(terminal, of, [{ name: 'x', message: 'notes.txt is no rollout dump.' }], {
    failOn,
    known: new Set(known),
    fails,
  })
  return written.join('')
}

describe('the summary of a report', () => {
  test('tells the truth about the input, the verdict with its measure, and the fault with its proof', () => {
    const text = summary(report())
    const flat = text.replace(/\s+/g, ' ')
    for (const part of [
      'step 12.jsonl 1.4 MB, jsonl+gzip, nemo-rl: 255 rollouts in 255 records',
      'recognised by keys token_loss_mask, sample_loss_mask',
      'not in this dump: logprobs.trainer',
      'skipped record 17 (line 18): at byte 3: a comma is missing',
      'not read notes.txt is no rollout dump.',
      'tokenizer qwen2.5 (bundled): control ids stand where turns begin',
      'policy rl (default); mask alignment token',
      'if that is meant, say --policy last-turn',
      'limits max_seq_len 4,096 (inferred)',
      'rollouts 256 in 32 groups, 1,880 turns',
      '910,233: 201,331 trained (22.1 %), 650,000 masked (71.4 %), 58,902 padding (6.5 %); trained share without padding 23.6 %; beside them 7 lost',
      'H02 Token masking errors: supported, high confidence for: trained share of tool tokens: 31.4 % (above 0 % is enough) M01 contradicted if 0 % (now 31.4 %): trained share of tool tokens',
      'V2 Assistant header missing: 4,096 of 4,096 assistant turns after the first (T05)',
      'error M01 Title of M01 12 of 256 rollouts (4.7 %), sporadic',
      'by assistant turn: before: 0, turn 1: 0, turn 2: 12',
      '245 tokens of a tool reply carry loss (record 12, rollout q3, turn 2, tokens 410–654)',
      'H01 Reward scaling: needs rewards',
      'What a trainer would write it with: rewards: verl trainer.rollout_data_dir=DIR',
      'M15: the dump does not carry attention masks',
      'What to do first Say whether last-turn training is meant',
      'Mend M01 first: title of M01 (12 of 256 rollouts); alone enough to support H02 (token masking errors).',
      '1 finding at or above error.',
    ]) {
      expect(flat).toContain(part)
    }
  })

  test('tells of an open verdict what would decide it, and of a decided one nothing more', () => {
    const [decided] = report().hypotheses
    if (decided === undefined) throw new Error('the fixture has a verdict')
    const open = { ...decided, verdict: 'inconclusive' as const, missing: ['ids of the prompts in both runs', 'tools'] }
    const text = (hypothesis: typeof decided) => summary(report({ hypotheses: [hypothesis] })).replace(/\s+/g, ' ')
    expect(text(open)).toContain('this dump lacks: ids of the prompts in both runs; tools')
    expect(text({ ...open, verdict: 'supported' })).not.toContain('this dump lacks')
    expect(text({ ...open, missing: [] })).not.toContain('this dump lacks')
  })

  test('tells files of which the same is told once, and by itself the one that has more to tell', () => {
    const plain = report()
    const [first] = plain.sources
    if (first === undefined) throw new Error('the fixture has a file')
    const source = (step: number, more: Partial<typeof first> = {}) => ({
      ...first,
      name: `${step}.jsonl`,
      bytes: 1000,
      trajectories: 16,
      records: 16,
      notes: [],
      drift: [],
      skipped: [],
      ...more,
    })
    const damaged = source(7, { skipped: first.skipped })
    const sources = [1, 2, 3].map((step) => source(step)).concat(damaged, source(9), source(10, { container: 'json' }))
    const flat = summary({ ...plain, sources }).replace(/\s+/g, ' ')
    expect(flat).toContain('1.jsonl and 3 more files like it, the last 9.jsonl 4.0 kB, ')
    expect(flat).toContain(': 64 rollouts in 64 records')
    expect(flat.match(/recognised by/g)).toHaveLength(3)
    expect(flat).toMatch(/ 7\.jsonl 1.0 kB, .*?: 16 rollouts in 16 records .*?skipped record 17/)
    expect(flat).toContain(' 10.jsonl 1.0 kB, json, ')
    expect(flat).not.toContain(' 2.jsonl 1.0 kB')
  })

  test('tells of texts without ids what they lack once, and their mean reward', async () => {
    const rows = Array.from({ length: 8 }, (_, i) =>
      JSON.stringify({
        input: `What is ${i >> 2} and ${i}?`,
        output: `I count to ${i}.`,
        score: i % 4 === 0 ? 1 : 0,
        step: 3,
        gts: String(i),
      }),
    )
    const flat = summary((await audited(`${rows.join('\n')}\n`)).report()).replace(/\s+/g, ' ')
    expect(flat).toContain('rewards mean 0.250')
    expect(flat.match(/the dump does not carry token ids/g)).toHaveLength(1)
    expect(flat).toMatch(/\d+ checks of tokens: the dump does not carry token ids/)
    // What only the reward needs is not swept in with them.
    expect(flat).toContain('A03, A04: the dump does not carry advantages')
    expect(flat.match(/integrations\/python/g)).toHaveLength(4)
    expect(flat).not.toContain('Not decided, for what this dump lacks')
    expect(flat).toContain('but little could be')
  })

  test('says of how many rollouts the mean reward is', () => {
    const rewards = { rows: 200, sum: 50_000_000, bins: {} }
    const flat = summary({ ...report(), aggregates: { rewards } }).replace(/\s+/g, ' ')
    expect(flat).toContain('rewards mean 0.250 of the 200 rollouts with one')
    expect(summary(report())).not.toContain('rewards  ')
  })

  test('leaves tokens without a mask out of the trained share, and says of how many it is', () => {
    const plain = report()
    const tokens = { total: 2730, trained: 303, masked: 1107, padding: 40, unknown: 1280, lost: 0 }
    const flat = summary({ ...plain, totals: { ...plain.totals, tokens } }).replace(/\s+/g, ' ')
    expect(flat).toContain('1,280 unknown (46.9 %); trained share of the 1,410 with a mask, without padding, 21.5 %')
  })

  test('names behind a measure only checks that found something', () => {
    const plain = report()
    const h02 = plain.hypotheses.find(({ id }) => id === 'H02')!
    const because = h02.because.map((measure) => ({ ...measure, checks: ['M01', 'M15', 'M08'] }))
    const text = summary({ ...plain, hypotheses: [{ ...h02, because }] })
    expect(text).toMatch(/\(above 0 % is enough\) {2}M01$/m)
  })

  test('explains the defects of the old trainer only where one of them was found', () => {
    const plain = report()
    expect(summary(plain).replace(/\s+/g, ' ')).toContain('V1 to V14 are defects')
    const own = summary({ ...plain, defects: plain.defects.map((defect) => ({ ...defect, id: 'A06' })) })
    expect(own).not.toContain('V14')
    expect(own).toContain('carries its code')
  })

  test('cuts a sentence of many conditions between two of them', () => {
    const plain = report()
    const [h02] = plain.hypotheses
    const conditions = Array.from({ length: 9 }, (_, i) => `measure ${i} of a name that takes a while to read at 0`)
    const would_change = [`contradicted if all of these hold: ${conditions.join('; ')}`, 'another way']
    const flat = summary({ ...plain, hypotheses: [{ ...h02!, would_change }] }).replace(/\s+/g, ' ')
    expect(flat).toContain('takes a while to read at 0; and 5 more, in the report (and 1 other way, in the report)')
  })

  test('says once what no file has, and of each file what it alone lacks', () => {
    const plain = report()
    const [source] = plain.sources
    const lacking = (name: string, ...missing: Report['sources'][number]['missing']) => ({ ...source!, name, missing })
    const sources = [lacking('a', 'messages', 'logprobs.trainer'), lacking('b', 'messages'), lacking('c', 'messages')]
    const text = summary({ ...plain, sources })
    expect(text.match(/not in .*/g)).toEqual([
      'not in this file: logprobs.trainer',
      'not in any of these files: messages',
    ])
  })

  test('asks for the alignment of the mask where the mask is told, and nowhere else', () => {
    const plain = report()
    const reason = 'declare the alignment with --mask-alignment'
    const undecided = {
      ...plain,
      policy: { ...plain.policy, mask_alignment: 'target' as const, alignment_undecided: true as const },
      checks: [...plain.checks, { ...plain.checks[0]!, code: 'M06', status: 'not-checkable' as const, reason }],
    }
    const flat = summary(undecided).replace(/\s+/g, ' ')
    expect(flat).toMatch(
      /mask alignment target Every mask lies one token before the turns: say --mask-alignment target/,
    )
    expect(flat.match(/--mask-alignment/g)).toHaveLength(1)
    expect(summary({ ...undecided, policy: plain.policy })).toContain(reason)
  })

  test('never takes more than 100 columns, and nothing in it is obeyed by a terminal', () => {
    const plain = report()
    const long = `${HOSTILE} ${'long '.repeat(60)}${'x'.repeat(300)}`
    const text = summary({
      ...plain,
      sources: plain.sources.map((source) => ({ ...source, name: long, drift: [long] })),
      tokenizer: { ...plain.tokenizer, evidence: [long] },
      findings: [finding('M01', { message: long, trajectory: long })],
    })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    for (const row of text.split('\n')) expect(displayWidth(row)).toBeLessThanOrEqual(100)
  })

  test('the last line follows what fails', () => {
    expect(summary(report({ findings: [] }))).toMatch(/No finding at or above error\.\n$/)
    expect(summary(report(), 'none')).toMatch(/2 findings\.\n$/)
    expect(summary(report(), 'error', ['M01-1'])).toMatch(
      /No finding at or above error, leaving out those of the baseline\.\n$/,
    )
    expect(summary(report({ findings_omitted: 5 }))).toMatch(
      /1 finding at or above error among the 2 of 7 that are listed\.\n$/,
    )
    expect(summary(report({ findings_omitted: 5 }), 'error', ['M01-1'], true)).toMatch(
      /0 findings at or above error, leaving out those of the baseline among the 2 of 7 that are listed,\nand some among the 5 others\.\n$/,
    )
    expect(summary(report({ findings_omitted: 5 }), 'error', ['M01-1'], false)).toMatch(
      /among the 2 of 7 that are listed\.\n$/,
    )
    const { totals } = report()
    const idle = report({ findings: [], totals: { ...totals, tokens: { ...totals.tokens, trained: 0 } } })
    expect(summary(idle)).toMatch(/No finding at or above error, but no token of any rollout is trained\.\n$/)
  })
})
