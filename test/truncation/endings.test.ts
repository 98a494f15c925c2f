import { describe, expect, it } from 'vitest'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { auditDump, auditTrajectories } from '../checks/audit.ts'
import { type SearchChanges, searchRow } from '../fixtures/checks/fixture.ts'
import { type RecordOptions, trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'

/** One rollout without an end token, among thirty that have one and say the same of themselves. */
async function oneOpen(options: RecordOptions) {
  const whole = { ...options, ...(options.isTruncated === true ? { isTruncated: false } : {}) }
  return auditDump({
    story: '',
    family: 'qwen2.5',
    rows: (tokenizer) => [
      searchRow(
        tokenizer,
        0,
        { answer: { text: 'The document says that it is', end: false } },
        { ...options, id: 'open', reward: 0.6 },
      ),
      ...Array.from({ length: 30 }, (_, i) =>
        searchRow(
          tokenizer,
          i,
          { answer: { text: `It says so, on page ${i}.` } },
          { ...whole, id: `whole-${i}`, reward: i / 30 },
        ),
      ),
    ],
  })
}

/** Codes that speak of it. */
async function toldOf(options: RecordOptions): Promise<string[]> {
  const { byCode } = await oneOpen(options)
  return ['C03', 'C05'].flatMap((code) =>
    (byCode.get(code)?.findings ?? []).map(({ trajectory }) => `${code} ${trajectory}`),
  )
}

const STOPS = [
  'stop',
  'STOP',
  'eos',
  'eos_token',
  'end_turn',
  'stop_sequence',
  'stop_string',
  'tool_calls',
  'tool_use',
  'completed',
]

describe('a last turn without an end token, as all of the dump', () => {
  const open = (options: RecordOptions) =>
    auditDump({
      story: '',
      family: 'qwen2.5',
      rows: (tokenizer) =>
        Array.from({ length: 8 }, (_, i) =>
          searchRow(
            tokenizer,
            i,
            { answer: { text: `It says so, on page ${i}`, end: false } },
            { ...options, id: `open-${i}`, reward: 1 },
          ),
        ),
    })

  it('may be what a stop string ended or a limit: nobody can tell, which is no pass', async () => {
    const { byCode } = await open({})
    expect(byCode.get('C03')?.findings).toEqual([])
    expect(byCode.get('C03')?.abstained?.status).toBe('not-checkable')
    expect(byCode.get('C03')?.abstained?.reason).toMatch(/^no rollout ends with an end token/)
  })

  it('is no cut where the row says that it stopped, or where a limit is known that it does not reach', async () => {
    for (const options of [{ finishReason: 'stop' }, { limits: { max_seq_len: 4096 } }]) {
      const { byCode } = await open(options)
      expect(byCode.get('C03')).toMatchObject({ findings: [], abstained: null })
    }
  })
})

describe('a cut row with room for one pad, which has the id of an end token', () => {
  it('was cut where it says so, and the last id carries no loss', async () => {
    const rows = (options: RecordOptions) => ({
      story: '',
      family: 'qwen2.5' as const,
      rows: (tokenizer: Tokenizer) => [
        searchRow(tokenizer, 0, { answer: { end: false } }, { padRight: 1, reward: 1, ...options }),
      ],
    })
    const endOf = async (options: RecordOptions) => (await auditDump(rows(options))).views[0]?.facts.endReason
    expect(await endOf({ finishReason: 'length' })).toBe('cut-prose')
    expect(await endOf({ isTruncated: true })).toBe('cut-prose')
    expect(await endOf({})).toBe('stop')
    expect(await endOf({ finishReason: 'length', editMask: (mask) => mask.fill(1, -1) })).toBe('stop')
  })

  it('is none where the last id was sampled, though no mask says so', async () => {
    const tokenizer = await testTokenizer('qwen2.5')
    const options = { padRight: 1, finishReason: 'length', mask: 'none' as const }
    const trajectory = trajectoryOf(searchRow(tokenizer, 0, { answer: { end: false } }, options))
    const endOf = (last: number) => {
      const sampled = Uint8Array.from(trajectory.ids ?? [], (_, i) =>
        i === (trajectory.ids?.length ?? 0) - 1 ? last : 0,
      )
      return auditTrajectories([{ ...trajectory, sampled }], tokenizer).views[0]?.facts.endReason
    }
    expect(endOf(1)).toBe('stop')
    expect(endOf(0)).toBe('cut-prose')
    const scored = (last: number) => {
      const sampler = Float32Array.from(trajectory.ids ?? [], (_, i) =>
        i === (trajectory.ids?.length ?? 0) - 1 ? last : -0.5,
      )
      const logprobs = { ...trajectory.logprobs, sampler }
      return auditTrajectories([{ ...trajectory, logprobs }], tokenizer).views[0]?.facts.endReason
    }
    expect(scored(-0.02)).toBe('stop')
    expect([scored(0), scored(Number.NaN), scored(1)]).toEqual(['cut-prose', 'cut-prose', 'cut-prose'])
  })
})

describe('a last turn without an end token, where the others have one', () => {
  it.each(
    STOPS,
  )('that is said to have stopped by itself (%s) is told once: what is said is doubted', async (finishReason) => {
    expect(await toldOf({ finishReason })).toEqual(['C05 open'])
    expect(await toldOf({ finishReason, isTruncated: false })).toEqual(['C05 open'])
  })

  it('of which nothing is said is told once: it is trained', async () => {
    expect(await toldOf({})).toEqual(['C03 open'])
    expect(await toldOf({ finishReason: 'something else' })).toEqual(['C03 open'])
  })

  it('that is flagged as whole is trained, and its flag is doubted', async () => {
    expect(await toldOf({ isTruncated: false })).toEqual(['C03 open', 'C05 open'])
  })

  it.each([
    ['C05', { finishReason: 'stop' }],
    ['C03', {}],
  ] as const)('is shown where it breaks off, though only the others tell (%s)', async (code, options) => {
    const { byCode, views } = await oneOpen(options)
    const [{ tokens } = { tokens: null }] = byCode.get(code)?.findings ?? []
    expect(views[0]?.text({ start: tokens?.[0] ?? 0, end: tokens?.[1] ?? 0 })).toBe('The document says that it is')
  })

  it('that is flagged as cut is told once: it is trained', async () => {
    expect(await toldOf({ isTruncated: true })).toEqual(['C03 open'])
    expect(await toldOf({ isTruncated: true, finishReason: 'stop' })).toEqual(['C03 open'])
  })
})

it.each([
  'length',
  'max_tokens',
  'max_new_tokens',
  'max_output_tokens',
  'MAX_TOKENS',
  'max_seq_len',
  'model_length',
  'truncated',
])('a rollout whose finish reason is %s is cut, and a flag that says otherwise is wrong', async (finishReason) => {
  const { byCode } = await auditDump({
    story: '',
    family: 'qwen2.5',
    rows: (tokenizer) => [
      searchRow(tokenizer, 0, { answer: { end: false } }, { finishReason, isTruncated: false, reward: 0.6 }),
      searchRow(tokenizer, 1, {}, { finishReason: 'stop', isTruncated: false, reward: 0.7 }),
    ],
  })
  expect(byCode.get('C03')?.findings.map(({ record }) => record)).toEqual([0])
  expect(byCode.get('C05')?.findings.map(({ record }) => record)).toEqual([0])
})

describe('a row that is said to have stopped, amid the JSON of a call', () => {
  const open = '<tool_call>\n{"name": "search", "arguments": {"query": "Ni'
  const told = async (text: string, options: RecordOptions, call = {}) => {
    const { byCode } = await auditDump({
      story: '',
      family: 'qwen2.5',
      rows: (tokenizer) => [
        searchRow(tokenizer, 0, { call, answer: { text, end: false } }, { finishReason: 'stop', ...options }),
      ],
    })
    return (byCode.get('C05')?.findings ?? []).map(({ message, severity }) => `${severity}: ${message}`)
  }

  it.each([null, false])('is told where its other turns have their ends (flag %s)', async (isTruncated) => {
    expect(await told(open, isTruncated === null ? {} : { isTruncated })).toEqual([
      'error: The rollout is not flagged as truncated, and its finish reason is stop while it stops amid the JSON of a call, and its other turns have end tokens',
    ])
  })

  it.each([
    ['the call is whole, and a string to stop on was its tag', `${open}ght"}}`, {}, {}],
    ['the model forgot a brace', `${open}ght"}`, {}, {}],
    ['it is flagged as cut', open, { isTruncated: true }, {}],
    ['its finish reason is a limit', open, { finishReason: 'length' }, {}],
    ['other turns have no end either', open, {}, { end: false }],
    ['ends of other turns were added, which the mask shows', open, {}, { train: { end: false } }],
  ])('is not told where %s', async (_, text, options, call) => {
    expect(await told(text, options, call)).toEqual([])
  })
})

describe('a row that is said to have stopped with a call, in a turn that calls nothing', () => {
  const cut: RecordOptions = { finishReason: 'tool_calls', isTruncated: false, reward: 1 }
  const closed: RecordOptions = { finishReason: 'stop', isTruncated: false }
  /** Rows of which C05 speaks, with their messages. */
  const told = async (rows: readonly (SearchChanges & { readonly options?: RecordOptions })[]) => {
    const { byCode } = await auditDump({
      story: '',
      family: 'qwen2.5',
      rows: (tokenizer) =>
        rows.map(({ options, ...changes }, i) => searchRow(tokenizer, i, changes, options ?? closed)),
    })
    return (byCode.get('C05')?.findings ?? []).map(({ record, severity, message }) => [record, severity, message])
  }
  const answer = { text: 'The document says that Ines Val', end: false }

  it('is told where other rollouts close their last turns', async () => {
    expect(await told([{}, { answer, options: cut }, {}, { answer, options: cut }])).toEqual(
      [1, 3].map((record) => [
        record,
        'error',
        'The finish reason is tool_calls and the last turn calls nothing and has no end token, as 2 of 4 rollouts that end so have',
      ]),
    )
  })

  it.each<[string, SearchChanges, RecordOptions]>([
    [
      'its call is whole, and its tag ends it',
      { answer: { text: `Once more.\n<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call>`, end: false } },
      cut,
    ],
    ['a tag ends it', { answer: { text: 'So it is. <answer>Ines Valdoro</answer>', end: false } }, cut],
    ['it has its end token', {}, cut],
    ['it is flagged as cut', { answer }, { ...cut, isTruncated: true }],
    ['it is said to have stopped', { answer }, { ...cut, finishReason: 'stop' }],
    ['no other turn of it calls anything', { call: { text: 'I look it up.' }, answer }, cut],
    ['its other turns have no end token either', { call: { end: false }, answer }, cut],
    ['the ends of its other turns were added', { call: { train: { end: false } }, answer }, cut],
  ])('is no such row where %s', async (_, changes, options) => {
    const other = { ...changes, options }
    const all = await told([{}, other, {}, other, {}])
    expect(all.filter(([, , message]) => String(message).includes('calls nothing'))).toEqual([])
  })

  it('is nothing to tell where most rollouts lack the token: the reason may be that of another turn', async () => {
    const row = { answer, options: cut }
    expect(await told([row, row, {}, row])).toEqual([])
  })
})
