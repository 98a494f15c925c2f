import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Report } from '../../shared/model/report.ts'
import { MergeError } from '../../shared/session/merge/part.ts'
import type { MergeState } from '../../shared/session/merge/state-shape.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testTokenizerFiles } from '../helpers/tokenizers.ts'
import { audited, cleanRollout, cutRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'
import { merge, reportOf } from './merge-shards.ts'
import { testHost } from './test-host.ts'

let dump: (first: number) => string
let good: string
let other: string

beforeAll(async () => {
  const tokenizer = await qwen()
  dump = (first) =>
    lines(
      [cleanRollout, rolloutWithTrainedReply, cutRollout, cleanRollout].map((rollout, i) =>
        rollout(tokenizer, first + i, { group: `question ${i >> 1}`, groupSize: 4, reward: i / 3, rewards: { em: i } }),
      ),
    )
  good = await reportOf([source('a.jsonl', 0), memorySource('no dump', 1 << 16, 'notes.txt')])
  other = await reportOf([source('b.jsonl', 4)])
}, 60_000)

function source(name: string, first: number) {
  return memorySource(dump(first), 1 << 16, name)
}

const with_ = (options: AuditOptions) => reportOf([source('b.jsonl', 4)], options)

/** A report that was changed after it was written. */
function changed(report: string, change: (report: Report, state: MergeState) => void): string {
  const value = JSON.parse(report)
  change(value, value.aggregates.state)
  return JSON.stringify(value)
}

function refusal(reports: readonly string[], against: readonly string[] = []): MergeError {
  try {
    merge(reports, against)
  } catch (error) {
    expect(error).toBeInstanceOf(MergeError)
    return error as MergeError
  }
  throw new Error('nothing was refused')
}

describe('reports that do not go together are refused, with both values', () => {
  it.each<[string, AuditOptions, string]>([
    ['a policy', { policy: 'sft' }, '--policy is not given in part-0.json and sft in part-1.json'],
    ['what is intended', { intend: ['M01'] }, '--intend is not given in part-0.json and M01 in part-1.json'],
    ['a mapping', { map: { reward: 'score' } }, '--map is not given in part-0.json and reward=score in part-1.json'],
    ['an alignment', { maskAlignment: 'target' }, '--mask-alignment is not given in part-0.json and target in'],
    ['a limit', { limits: { max_seq_len: 4096 } }, '--max-seq-len is not given in part-0.json and 4096 in part-1'],
    ['a group size', { groupSize: 8 }, '--group-size is not given in part-0.json and 8 in part-1.json'],
    ['checks', { checks: ['M02', 'M01'] }, '--checks is not given in part-0.json and M01,M02 in part-1.json'],
    ['hypotheses', { hypotheses: ['H02'] }, '--hypothesis is not given in part-0.json and H02 in part-1.json'],
    [
      'a threshold',
      { thresholds: { 'drift-tokens': 7 } },
      '--threshold drift-tokens is not given in part-0.json and 7 in',
    ],
    ['a tokenizer', { tokenizer: 'qwen2.5' }, '--tokenizer is not given in part-0.json and qwen2.5 in part-1.json'],
    ['a length of the list', { maxFindings: 5 }, '--max-findings is 10000 in part-0.json and 5 in part-1.json'],
  ])('%s', async (_, options, message) => {
    const error = refusal([good, await with_(options)])
    expect(error.message).toContain(message)
    expect(error.kind).toBe('refused')
    expect(error.message).toContain('Inspect the files of one of them again')
  })

  it('another tokenizer of the same name', async () => {
    const { tokenizer } = await testTokenizerFiles('qwen2.5')
    const files = { kind: 'files', id: 'ours', title: 'ours', origin: 'file', config: null } as const
    const addedTokenizers = [{ ...files, tokenizer: JSON.stringify(tokenizer) }]
    const session = await audited([source('a.jsonl', 0)], { tokenizer: 'ours' }, testHost(), { addedTokenizers })
    const report = JSON.stringify(session.mergeableReport())
    const copy = (hash: string | null) =>
      changed(report, ({ sources }, state) => {
        Object.assign(sources[0] as object, { name: 'b.jsonl' })
        if (hash !== null) Object.assign(state.tokenizer as object, { files: hash })
      })
    expect(merge([report, copy(null)]).report.tokenizer).toMatchObject({ id: 'ours', origin: 'file' })
    expect(refusal([report, copy('another')]).message).toMatch(
      /the hash of the files of --tokenizer ours is \w{16} in part-0.json and another in part-1/,
    )
  })

  it('but not options that are spelt otherwise, or given as what they are anyway', async () => {
    const options = { maskAlignment: 'auto', intend: [], limits: {}, thresholds: { 'drift-tokens': 50_000 } } as const
    expect(merge([good, await with_(options)]).report.totals.trajectories).toBe(8)
    const checks = [
      await reportOf([source('a.jsonl', 0)], { checks: ['M01', 'T05'] }),
      await with_({ checks: ['T05', 'M01'] }),
    ]
    expect(merge(checks).report.checks.map(({ code }) => code)).toEqual(['M01', 'T05'])
  })

  it('the same file twice, but not a copy of another name or what one report lists twice', async () => {
    const error = refusal([good, other, await reportOf([source('a.jsonl', 0)])])
    expect(error.message).toMatch(/part-0.json and part-2.json hold the same file: a.jsonl, SHA-256 [0-9a-f]{64}/)
    const copy = await reportOf([source('copy.jsonl', 0)])
    expect(merge([good, copy]).report.totals.trajectories).toBe(8)
    const twice = await reportOf([source('b.jsonl', 4), source('b.jsonl', 4)])
    expect(merge([good, twice]).report.totals.trajectories).toBe(12)
  })

  it('a part whose tokenizer is not what all of them speak for', async () => {
    const tokenizer = await qwen()
    // Nothing tells the two families of Qwen apart but the model, which not every record names.
    const report = (name: string, first: number, model: string | undefined) => {
      const records = [0, 1].map((i) => {
        const { record } = cleanRollout(tokenizer, first + i, { messages: false })
        return `${JSON.stringify(i === 1 && model !== undefined ? { ...record, model } : record)}\n`
      })
      return reportOf([memorySource(records.join(''), 1 << 16, name)])
    }
    const error = refusal([await report('a.jsonl', 0, undefined), await report('b.jsonl', 2, 'Qwen/Qwen3-8B')])
    expect(error.message).toMatch(
      /^part-0.json was read with tokenizer qwen2.5; all reports together speak for tokenizer qwen3./,
    )
    expect(error.message).toContain('--tokenizer qwen3')
  })

  it('a part that did not know of the model whose ids it has not', async () => {
    const tokenizer = await qwen()
    const think = 151667
    const report = (name: string, first: number, model: string | undefined) => {
      const records = [0, 1].map((i) => {
        const { record } = cleanRollout(tokenizer, first + i, { messages: false })
        const thinking = { ...record, input_ids: record.input_ids.map((id, at) => (at === 4 ? think : id)) }
        return `${JSON.stringify(i === 1 && model !== undefined ? { ...thinking, model } : thinking)}\n`
      })
      return reportOf([memorySource(records.join(''), 1 << 16, name)])
    }
    const model = 'Qwen/Qwen2.5-7B-Instruct'
    const error = refusal([await report('a.jsonl', 0, model), await report('b.jsonl', 2, undefined)])
    expect(error.message).toContain(
      `part-1.json was read with no other model; all reports together speak for the ids of ${model}.`,
    )
    expect(error.message).toContain('--tokenizer qwen3')
  })

  it('a part whose masks are not aligned as all of them say', async () => {
    const tokenizer = await qwen()
    const early = ({ record }: ReturnType<typeof cleanRollout>) => ({
      ...record,
      loss_mask: [...(record.loss_mask ?? []).slice(1), 0],
    })
    const report = (name: string, first: number, change: (rollout: ReturnType<typeof cleanRollout>) => object) => {
      const records = Array.from({ length: 4 }, (_, i) => change(cleanRollout(tokenizer, first + i)))
      return reportOf([memorySource(records.map((record) => `${JSON.stringify(record)}\n`).join(''), 1 << 16, name)])
    }
    const error = refusal([await report('a.jsonl', 0, ({ record }) => record), await report('b.jsonl', 4, early)])
    expect(error.message).toContain(
      'part-1.json was read with mask alignment target (undecided); all reports together speak for mask alignment token.',
    )
    expect(error.message).toContain('--mask-alignment token')
  })

  it('a second run or a dataset that the report does not hold', async () => {
    const second = await audited([source('other.jsonl', 40)])
    const session = await audited([source('a.jsonl', 0)], {}, testHost(), { against: second.secondRun() })
    const report = JSON.stringify(session.mergeableReport())
    expect(refusal([report, other]).message).toContain('part-0.json was made with --against')
    expect(merge([report], [other]).report.totals.trajectories).toBe(4)
    const dataset = changed(good, (_, state) => {
      state.dataset = true
    })
    expect(refusal([dataset]).message).toContain('part-0.json was made with --dataset')
  })

  it('no report at all', () => {
    expect(refusal([]).message).toContain('There is no report to merge')
  })
})

describe('what is no report, an old one or a damaged one, is refused by its name', () => {
  it.each<[string, string, string, MergeError['kind']]>([
    ['nothing', '', 'part-1.json is no JSON', 'unreadable'],
    ['a list', '[]', 'part-1.json is no report of this program: it has no schema', 'unreadable'],
    ['null', 'null', 'part-1.json is no report of this program: it has no schema', 'unreadable'],
    ['another schema', '{"schema": "sarif"}', 'its schema is "sarif", not "rollout-inspector.report/1"', 'unreadable'],
    ['a schema alone', '{"schema": "rollout-inspector.report/1"}', 'part-1.json is damaged: tool', 'unreadable'],
    [
      'something deep',
      `{"schema": "rollout-inspector.report/1", "a": ${'['.repeat(5000)}${']'.repeat(5000)}}`,
      'levels deep',
      'unreadable',
    ],
  ])('%s', (_, text, message, kind) => {
    const error = refusal([good, text])
    expect(error.message).toContain(message)
    expect(error.kind).toBe(kind)
  })

  it.each<[string, (report: Report, state: MergeState) => void, string, MergeError['kind']]>([
    ['an older version', (report) => Object.assign(report.tool, { version: '0.0.9' }), 'version 0.0.9', 'refused'],
    [
      'one without a state',
      (report) => Object.assign(report.aggregates, { state: undefined }),
      'before reports could be merged',
      'refused',
    ],
    [
      'another state',
      (_, state) => Object.assign(state, { schema: 7 }),
      'schema 7, and this version reads 5',
      'refused',
    ],
    ['a finding too few', ({ findings }) => findings.pop(), 'findings has ', 'unreadable'],
    [
      'a rollout too many',
      ({ sources }) => Object.assign(sources[0] as object, { trajectories: 5 }),
      'rollouts: recordHash does not have one cell for each of 5 rows',
      'unreadable',
    ],
    ['a source too few', ({ sources }) => sources.splice(0, 2), 'rollouts', 'unreadable'],
    ['a source of no kin', (_, state) => state.kins.pop(), 'kins: sources do not name each of 1 once', 'unreadable'],
    [
      'a text for a number',
      (_, state) => Object.assign(state.totals, { turns: 'many' }),
      'aggregates.state.totals.turns: Invalid input',
      'unreadable',
    ],
    [
      'an unknown check',
      (_, state) => Object.assign(state.tallies, { Z99: '' }),
      'aggregates.state.tallies.Z99',
      'unreadable',
    ],
    [
      'an unknown code',
      ({ findings }) => Object.assign(findings[0] as object, { code: 'Z99' }),
      'findings.0.code',
      'unreadable',
    ],
    [
      'findings of the dump again and again',
      (_, state) => Object.assign(state.findings, { of_dump: '0:0*1048576' }),
      'findings.of_dump is not in order',
      'unreadable',
    ],
    [
      'an unknown threshold',
      (_, state) => Object.assign(state.options, { thresholds: { luck: 1 } }),
      'aggregates.state.options.thresholds',
      'unreadable',
    ],
    [
      'records out of order',
      (_, { rollouts }) => Object.assign(rollouts, { record: '3 2 1 0' }),
      'rollouts: record has 2.0 after 3.0',
      'unreadable',
    ],
  ])('%s', (_, change, message, kind) => {
    const error = refusal([other, changed(good, change)])
    expect(error.message).toContain(message)
    expect(error.message).toContain('part-1.json')
    expect(error.kind).toBe(kind)
  })
})

describe('hostile reports', () => {
  /** Merges, or is refused with a sentence that is short enough to be read; nothing else. */
  function survives(text: string): 'merged' | 'refused' {
    try {
      JSON.stringify(merge([other, text]).report)
      return 'merged'
    } catch (error) {
      expect(error).toBeInstanceOf(MergeError)
      expect((error as MergeError).message.length).toBeLessThan(1000)
      return 'refused'
    }
  }

  it('cut anywhere', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: good.length - 1 }), (length) => {
        expect(survives(good.slice(0, length))).toBe('refused')
      }),
      { numRuns: 60 },
    )
  })

  it('with any part replaced by anything', () => {
    const paths = leaves(JSON.parse(good))
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.integer(),
      fc.double(),
      fc.constantFrom(
        '__proto__',
        '',
        '-*4',
        '=*4',
        '0*4',
        '1e308',
        'NaN*4',
        'Infinity',
        '-1*4',
        '^0',
        '_',
        '%',
        'constructor',
      ),
      fc.constantFrom(Number.MAX_SAFE_INTEGER, -1, 0.5, 1e300, 2 ** 31, 2 ** 53),
      fc.string({ unit: fc.constantFrom(...'0123456789 *=-._,:;~^#%|A') }),
    )
    let merged = 0
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), anything), { minLength: 1, maxLength: 3 }), (edits) => {
        const report = JSON.parse(good)
        for (const [at, value] of edits) put(report, paths[at % paths.length] as Path, value)
        if (survives(JSON.stringify(report)) === 'merged') merged++
      }),
      { numRuns: 300 },
    )
    expect(merged).toBeGreaterThan(0)
  })

  it('with any cell of the columns of rollouts replaced by another', () => {
    const { rollouts } = JSON.parse(good).aggregates.state as MergeState
    const names = Object.keys(rollouts).concat(
      'kl',
      'gap',
      'drift',
      'prefixHashes',
      'cutReplies',
      'branchOf',
      'limitNames',
    )
    const cells = fc.constantFrom(
      '-',
      '.',
      '=',
      '_',
      '0',
      '1',
      '7',
      '-5',
      '0.5',
      'NaN',
      'Infinity',
      '-Infinity',
      '1e300',
      '9007199254740991',
      'x',
      'stop',
      '1,2',
      '1:2',
      '1:1:1:1:1:1:1:x',
      '1:_:1:1:1:1:-:-',
      '1:1,1,1,1:1:1:1:1:1;1;1;1;_;_:k1',
      'max_turns',
      '3,3,3,3,3,3',
    )
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...names), fc.array(cells, { minLength: 4, maxLength: 4 })), {
          minLength: 1,
          maxLength: 4,
        }),
        (edits) => {
          const report = JSON.parse(good)
          for (const [name, column] of edits) report.aggregates.state.rollouts[name] = column.join(' ')
          survives(JSON.stringify(report))
        },
      ),
      { numRuns: 300 },
    )
  })
})

type Path = readonly (string | number)[]

/** Every place in a value. */
function leaves(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, each]) => leaves(each, [...path, key]))]
}

function put(value: unknown, path: Path, replaced: unknown): void {
  let at = value as Record<string | number, unknown>
  for (const key of path.slice(0, -1)) {
    const next = at[key]
    if (typeof next !== 'object' || next === null) return
    at = next as Record<string | number, unknown>
  }
  const last = path.at(-1)
  if (last !== undefined) at[last] = replaced
}
