import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../shared/model/report.ts'
import { pinEvidence } from '../../shared/notebook/edit.ts'
import { lengthsPiece, logPieces, lossPieces, spreadPiece } from '../../shared/notebook/evidence/charts.ts'
import {
  evidenceOf,
  findingPieces,
  groupPiece,
  limitsPiece,
  measurePieces,
  type PinnedRollout,
  spanPiece,
} from '../../shared/notebook/evidence/pieces.ts'
import { recheck } from '../../shared/notebook/evidence/recheck.ts'
import { lossPiece, policyPiece, repairPiece } from '../../shared/notebook/evidence/what-ifs.ts'
import { checkNotebook, type EvidenceOrigin } from '../../shared/notebook/model.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { minute } from './edits.ts'

const FROM: EvidenceOrigin = {
  dump: 'aa11bb22',
  names: ['step_12.jsonl'],
  version: '0.1.0',
  report: '00',
  settings: { policy: 'rl', rollouts: 4 },
}

function rollout(change: Partial<PinnedRollout> = {}): PinnedRollout {
  return {
    index: 3,
    facts: { id: 'r3', recordHash: 'cc', reward: 0.5 },
    states: Uint8Array.from([2, 0, 0, 1, 1, 0]),
    logprobs: { sampler: null, trainer: null },
    findings: [],
    ...change,
  }
}

function numbersOf(piece: { numbers: readonly { name: string; value: unknown }[] }): Record<string, unknown> {
  return Object.fromEntries(piece.numbers.map(({ name, value }) => [name, value]))
}

describe('a span', () => {
  test('counts what its tokens are', () => {
    expect(numbersOf(spanPiece(rollout(), [1, 5]))).toEqual({ tokens: 4, trained: 2, masked: 2, reward: 0.5 })
  })
  test('ends where the rollout does, and leaves out logprobs that are no numbers', () => {
    const sampler = Float32Array.from([0, 0, 0, -1, -2, 0])
    const trainer = Float32Array.from([0, 0, 0, -1.5, Number.NaN, 0])
    const piece = spanPiece(rollout({ logprobs: { sampler, trainer } }), [3, 99])
    expect(numbersOf(piece)).toMatchObject({ tokens: 3, 'mean |trainer − sampler| logprob': 0.25 })
    expect(piece.key).toMatchObject({ start: '3', end: '6' })
  })
})

test('a verdict that cannot be reached has no measure to pin', () => {
  const because = [{ measure: 'share', value: 0.3, threshold: 0.2, comparison: '>' as const, checks: [] }]
  const rest = { confidence: 'high' as const, because, missing: [], would_change: [] }
  const pieces = measurePieces({
    hypotheses: [
      { id: 'H04', title: 'Context', verdict: 'supported', ...rest },
      { id: 'H03', title: 'KL', verdict: 'not-checkable', ...rest },
    ],
  })
  expect(pieces.map(({ key }) => key)).toEqual([{ hypothesis: 'H04', measure: 'share' }])
  expect(numbersOf(pieces[0]!)).toEqual({ value: 0.3, threshold: '> 0.2', verdict: 'supported' })
})

test('a measure that says how many times as much is no share', () => {
  const measure = 'share of turns with a fault: times as frequent after the first'
  const because = [{ measure, value: 0.5, threshold: 5, comparison: '>' as const, checks: [] }]
  const rest = { title: 'Multi-step', verdict: 'contradicted' as const, confidence: 'high' as const }
  const [piece] = measurePieces({ hypotheses: [{ id: 'H07', ...rest, because, missing: [], would_change: [] }] })
  expect(piece?.numbers.find(({ name }) => name === 'value')?.unit).toBeNull()
})

describe('looked up again', () => {
  const cost = (cut: number) => ({
    rollouts: 8,
    cut,
    dropped: 0,
    tokens: { lost: 10 },
    trained: null,
    answers: { cut: 0, unreached: 0 },
    documents: { cut: 0 },
    supporting: { cut: 0 },
  })
  const tried = { max_seq_len: '4096', 'prompt cut': 'left' }
  const pinned = evidenceOf(limitsPiece(tried, cost(2)), FROM, '#x', minute(0))

  test('the same numbers are unchanged, whatever it is read under', () => {
    const now = { version: '0.2.0', settings: { policy: 'sft', rollouts: 4 } }
    expect(recheck(pinned, [limitsPiece(tried, cost(2))], now)).toEqual({ state: 'unchanged' })
  })
  test('a number that moved is told with the settings that did', () => {
    const now = { version: '0.1.0', settings: { policy: 'sft', rollouts: 4, max_seq_len: 99 } }
    expect(recheck(pinned, [limitsPiece(tried, cost(5))], now)).toEqual({
      state: 'changed',
      numbers: [{ name: 'rollouts cut', was: 2, now: 5 }],
      settings: [
        { name: 'policy', was: 'rl', now: 'sft' },
        { name: 'max_seq_len', was: null, now: 99 },
      ],
    })
  })
  test('what is found under no key is gone', () => {
    const other = limitsPiece({ ...tried, max_seq_len: '8192' }, cost(2))
    expect(recheck(pinned, [other], FROM)).toEqual({ state: 'gone', numbers: [], settings: [] })
  })
})

const finding = fc.record({
  code: fc.constantFrom('M01', 'A02'),
  message: fc.string({ unit: 'binary', maxLength: 500 }),
  evidence: fc.dictionary(fc.string({ maxLength: 12 }), fc.oneof(fc.double(), fc.string())),
  fingerprint: fc.string(),
  tokens: fc.constantFrom<[number, number] | null>(null, [1, 3]),
}) as fc.Arbitrary<Partial<Finding>> as fc.Arbitrary<Finding>

test('whatever a dump holds, a pinned piece survives JSON and is found again unchanged', () => {
  const piece = fc.oneof(
    fc.tuple(fc.array(finding, { minLength: 1, maxLength: 4 }), fc.string()).map(([findings, id]) => {
      const facts = { id, recordHash: 'h', reward: null }
      return findingPieces(rollout({ findings, facts }), () => null)[0]!
    }),
    fc.tuple(fc.double(), fc.string()).map(([std, id]) =>
      groupPiece({
        position: 0,
        id,
        step: null,
        rollouts: 8,
        mean: std,
        std,
        gap: null,
        amplification: null,
        largestAdvantage: null,
      }),
    ),
  )
  fc.assert(
    fc.property(piece, (each) => {
      const evidence = evidenceOf(each, FROM, '#view=groups', minute(0), 'why')
      const kept = pinEvidence(newNotebook(), 'H02', evidence, { at: minute(0) })
      const back = checkNotebook(JSON.parse(JSON.stringify(kept)))
      const pinned = back.hypotheses.find(({ id }) => id === 'H02')?.evidence[0]
      expect(recheck(pinned!, [each], FROM)).toEqual({ state: 'unchanged' })
    }),
  )
})

test('what is pinned again takes the place of what was', () => {
  const piece = spanPiece(rollout(), [1, 5])
  const first = evidenceOf(piece, FROM, '#', minute(0))
  const again = evidenceOf(piece, FROM, '#', minute(5), 'seen twice')
  const notebook = [first, again].reduce(
    (before, each) => pinEvidence(before, 'H02', each, { at: each.pinnedAt }),
    newNotebook(),
  )
  expect(notebook.hypotheses.find(({ id }) => id === 'H02')?.evidence).toEqual([again])
  const other = evidenceOf(piece, { ...FROM, dump: 'ee55' }, '#', minute(6))
  expect(other.id).not.toBe(first.id)
})

describe('a chart', () => {
  test('keeps every bin that holds something, and is another one where a bin moved', () => {
    const piece = lengthsPiece('prompt', { from: 0, width: 20, counts: [0, 3, 0, 1] })
    expect(piece?.title).toBe('Lengths of 4 prompts: 20 to below 80 tokens')
    expect(numbersOf(piece as NonNullable<typeof piece>)).toEqual({
      '20 to below 40 tokens': 3,
      '60 to below 80 tokens': 1,
    })
    const pinned = evidenceOf(piece as NonNullable<typeof piece>, FROM, '#view=verdicts', minute(1))
    const now = lengthsPiece('prompt', { from: 0, width: 20, counts: [0, 2, 0, 2] })
    expect(recheck(pinned, now === null ? [] : [now], FROM)).toMatchObject({ state: 'changed' })
    expect(lengthsPiece('prompt', { from: 0, width: 20, counts: [0] })).toBe(null)
  })
  test('of groups counts those without contrast apart', () => {
    const piece = spreadPiece({ from: 0, width: 0.05, counts: [0, 2] }, 5)
    expect(piece === null ? null : numbersOf(piece)).toEqual({ 'no contrast': 5, '0.05 to below 0.1': 2 })
    expect(spreadPiece({ from: 0, width: 0.05, counts: [] }, 0)).toBe(null)
  })
  test('of the loss has no share where no mask tells', () => {
    const totals = (trained: number | null) =>
      ({ by_part: { tool: { total: 4, trained } }, by_turn: { 1: { total: 8, trained } } }) as never
    expect(lossPieces({ totals: totals(1) }).map(numbersOf)).toEqual([{ tool: 0.25 }, { 'turn 1': 0.125 }])
    expect(lossPieces({ totals: totals(null) })).toEqual([])
  })
  test('of a log leaves out steps without a value', () => {
    const log = {
      name: 'metrics.jsonl',
      bytes: 1,
      kind: 'metric-lines',
      title: '',
      evidence: '',
      notes: [],
      others: [],
    }
    const series = [{ name: 'reward', metric: 'reward' as const, steps: [1, 2, 3], values: [0.5, null, 0.7] }]
    expect(logPieces([{ ...log, series }]).map(numbersOf)).toEqual([
      { first: 0.5, last: 0.7, least: 0.5, greatest: 0.7, steps: 3 },
    ])
    expect(logPieces([{ ...log, series: [{ ...(series[0] as (typeof series)[0]), values: [null] }] }])).toEqual([])
  })
})

test('what is tried in the lab is found again by what was tried', () => {
  const loss = {
    known: 8,
    rollouts: 8,
    largestAdvantage: 1.5,
    meanAbsoluteAdvantage: 0.5,
    groups: { complete: 2, dead: 1, amplified: 0 },
    byLength: [{ pull: 0.4 }, { pull: 0.6 }],
  }
  const group = lossPiece({ scaling: 'group', loss: 'grpo' }, loss)
  expect(group.title).toBe('What if scaling group, loss grpo: largest advantage 1.5')
  expect(numbersOf(group)).toMatchObject({ 'groups without contrast': 1, 'pull of the longest quarter': 0.6 })
  const pinned = evidenceOf(group, FROM, '#view=lab', minute(1))
  expect(recheck(pinned, [lossPiece({ scaling: 'batch', loss: 'grpo' }, loss)], FROM)).toMatchObject({ state: 'gone' })
  expect(recheck(pinned, [group], FROM)).toEqual({ state: 'unchanged' })
  const policy = policyPiece(
    { policy: 'sft' },
    {
      checks: [{ code: 'M11', before: { affected: 64 }, after: { affected: 0 } }],
      verdicts: [{ id: 'H02', before: 'supported', after: 'contradicted' }],
    },
  )
  expect(policy.title).toBe('What if policy sft: 1 check and 1 verdict otherwise')
  expect(numbersOf(policy)).toEqual({ M11: '64 → 0', H02: 'supported → contradicted' })
  const repair = repairPiece({ repairable: 4, changed: 2, parts: [{ part: 'tool', toTrain: 0, toMask: 9 }] })
  expect(numbersOf(repair)).toEqual({ 'masks that change': 2, masks: 4, 'tool to mask': 9 })
})

/** Measures of one hypothesis, as a report has them. */
function measuresOf(id: string, ...measures: readonly (readonly [string, number])[]) {
  const because = measures.map(([measure, value]) => ({ measure, value, threshold: null, comparison: '>', checks: [] }))
  const hypothesis = { id, title: '', verdict: 'supported', confidence: 'high', because, missing: [], would_change: [] }
  return measurePieces({ hypotheses: [hypothesis] as never })
}

test('a measure is found again where a number in its name moved, and is not taken for another one', () => {
  const measured = (...measures: readonly (readonly [string, number])[]) => measuresOf('H04', ...measures)
  const [limit, first, second] = measured(
    ['share within 10 tokens of a limit (max_seq_len 1,024)', 0.3],
    ['rate of C03', 0.1],
    ['rate of C04', 0.2],
  ).map((piece) => evidenceOf(piece, FROM, '#', minute(1)))
  const now = measured(['rate of C04', 0.2], ['share within 10 tokens of a limit (max_seq_len 2,048)', 0.1])
  expect(recheck(limit as NonNullable<typeof limit>, now, FROM)).toMatchObject({ state: 'changed' })
  expect(recheck(first as NonNullable<typeof first>, now, FROM)).toMatchObject({ state: 'gone' })
  expect(recheck(second as NonNullable<typeof second>, now, FROM)).toEqual({ state: 'unchanged' })
  const twins = measured(['after 2 turns', 1], ['after 3 turns', 2])
  expect(new Set(twins.map(({ key }) => JSON.stringify(key))).size).toBe(2)
})

test('tokens that a finding covers are said once, and others that its check counted under a name of their own', () => {
  const finding = (tokens: number) =>
    ({
      code: 'L02',
      severity: 'error',
      scope: 'tokens',
      message: 'a gap',
      tokens: [101, 164],
      fingerprint: 'f',
      evidence: { tokens, onset: 101 },
    }) as unknown as PinnedRollout['findings'][number]
  const [same, other] = findingPieces(rollout({ findings: [finding(63), finding(60)] }), () => null)
  const told = (piece: typeof same) => piece?.numbers.map(({ name, value }) => `${name} ${value}`)
  expect(told(same)).toEqual(['tokens 63', 'onset 101'])
  expect(told(other)).toEqual(['tokens 63', 'tokens counted 60', 'onset 101'])
})

test.each([
  [
    'H02',
    'places of a sporadic fault: Tool output or prompt is trained (M01)',
    'places with a sporadic fault, of 48 looked at, which alone does not support this: Tool output or prompt is trained (M01)',
  ],
  [
    'H05',
    'share of complete groups without contrast beyond noise, by the range of these rewards',
    'share of complete groups without contrast (A01), or whose rewards differ by noise alone, by the range of these rewards',
  ],
  [
    'H08',
    'difference of the mean rewards of the questions that both runs have',
    'difference of the mean rewards of the questions that both runs have, beyond chance, by the model or by how it is scored',
  ],
])('a measure of %s that says more of itself by now is found', (id, was, now) => {
  const [piece] = measuresOf(id, [was, 0.5])
  const pinned = evidenceOf(piece as NonNullable<typeof piece>, FROM, '#', minute(1))
  const [later] = measuresOf(id, [now, 0.5])
  expect(recheck(pinned, measuresOf(id, [now, 0.5]), FROM)).toEqual({ state: 'unchanged', nowCalled: later?.title })
})

describe('a measure of H07 that is called otherwise by now', () => {
  const now = measuresOf(
    'H07',
    ['rollouts with a second assistant turn', 64],
    ['End of turn is not trained (M10): as frequent from assistant turn 2 on as in turn 1', 3],
    ['End of turn is not trained (M10): rate from assistant turn 2 on', 0.75],
    ['Assistant header is missing (T05): rate from assistant turn 2 on, and none in turn 1', 1],
    ['Thinking is stripped (T04, a warning): rate in assistant turn 1', 0],
    ['faults of error severity in assistant turns', 0],
    ['Mask is shifted (M06): rate from assistant turn 2 on, and some in turn 1', 0],
  )
  test.each([
    ['End of turn is not trained (M10): times as frequent from assistant turn 2 on as in turn 1', 3, 1],
    ['End of turn is not trained (M10): rate from assistant turn 2 on, against 2 times that of turn 1', 0.75, 2],
    ['Header is missing (T05): rate from assistant turn 2 on, against 2 times that of turn 1', 1, 3],
    ['set aside, a warning: Thinking is stripped (T04), rate in assistant turn 1', 0, 4],
    ['present: Reasoning is stripped (T04), rate in assistant turn 1', 0, 4],
    ['error-severity faults in assistant turns', 0, 5],
    ['faults of error severity in assistant turns; warnings are set aside', 0, 5],
    ['Mask is shifted (M06): times as frequent from assistant turn 2 on as in turn 1', 0, 6],
    ['Mask is shifted (M06): as frequent from assistant turn 2 on as in turn 1', 0, 6],
    ['Mask is shifted (M06): rate from assistant turn 2 on, against 2 times that of turn 1', 0, 6],
    ['Mask is shifted (M06): rate from assistant turn 2 on', 0, 6],
    ['Mask is shifted (M06): rate from assistant turn 2 on, and none in turn 1', 0, 6],
    ['End of turn is not trained (M10): rate from assistant turn 2 on, and some in turn 1', 0.75, 2],
    ['End of turn is not trained (M10): rate from assistant turn 2 on, and none in turn 1', 0.75, 2],
    ['Assistant header is missing (T05): rate from assistant turn 2 on', 1, 3],
  ])('is found: %s', (measure, value, at) => {
    const [piece] = measuresOf('H07', [measure, value])
    const pinned = evidenceOf(piece as NonNullable<typeof piece>, FROM, '#', minute(1))
    expect(recheck(pinned, now, FROM)).toEqual({ state: 'unchanged', nowCalled: now[at]?.title })
    const moved = evidenceOf(measuresOf('H07', [measure, 0.5])[0] as NonNullable<typeof piece>, FROM, '#', minute(1))
    const numbers = [{ name: 'value', was: 0.5, now: value }]
    expect(recheck(moved, now, FROM)).toMatchObject({ state: 'changed', numbers, nowCalled: now[at]?.title })
  })
  test('is held against another threshold, which has not moved', () => {
    const because = (measure: string, threshold: number) => [
      { measure: `Mask is shifted (M06): ${measure}`, value: 0, threshold, comparison: '<' as const, checks: [] },
    ]
    const of = (...line: Parameters<typeof because>) =>
      measurePieces({ hypotheses: [{ id: 'H07', verdict: 'contradicted', because: because(...line) }] as never })
    const [piece] = of('as frequent from assistant turn 2 on as in turn 1', 2)
    const pinned = evidenceOf(piece as NonNullable<typeof piece>, FROM, '#', minute(1))
    const rate = of('rate from assistant turn 2 on, and some in turn 1', 0.5)
    expect(recheck(pinned, rate, FROM)).toEqual({ state: 'unchanged', nowCalled: rate[0]?.title })
    const again = of('as frequent from assistant turn 2 on as in turn 1', 3)
    expect(recheck(pinned, again, FROM)).toMatchObject({ state: 'changed', numbers: [{ name: 'threshold' }] })
  })
  test.each([
    ['End of turn is not trained (M01): times as frequent from assistant turn 2 on as in turn 1', 'H07'],
    ['present: Thinking is stripped (T04), rate from assistant turn 2 on', 'H07'],
    ['error-severity faults in assistant turns', 'H04'],
  ])('is not taken for another one: %s of %s', (measure, hypothesis) => {
    const [piece] = measuresOf(hypothesis, [measure, 1])
    const pinned = evidenceOf(piece as NonNullable<typeof piece>, FROM, '#', minute(1))
    expect(recheck(pinned, now, FROM)).toMatchObject({ state: 'gone' })
  })
})
