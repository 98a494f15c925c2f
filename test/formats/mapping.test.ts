import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import type { JsonValue, RawRecord } from '../../shared/containers/container.ts'
import { mappedRecords, mappingOf, mappingText } from '../../shared/formats/mapping.ts'
import { pathsOf } from '../../shared/formats/mapping-paths.ts'
import { proposeMapping } from '../../shared/formats/propose-mapping.ts'
import { Session } from '../../shared/session/session.ts'

const IDS = [151644, 77091, 198, 2132, 374, 220, 21, 151645]
const MASK = [0, 0, 0, 1, 1, 1, 1, 1]
const ROW = {
  sample: { toks: IDS, lossm: MASK, old_logps: MASK.map((flag) => (flag ? -0.5 : 0)) },
  problem_id: 'p1',
  final_reward: 0.5,
  env: 'wiki',
  chat: [{ role: 'user', content: 'Who?' }],
}

async function opened(records: readonly object[], map?: ReturnType<typeof mappingOf>) {
  const bytes = Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))
  const session = await Session.open(
    [new MemorySource('dump.jsonl', bytes)],
    map === undefined ? {} : { map },
    nodeHost(1),
  )
  await session.done
  return session
}

describe('--map', () => {
  const map = mappingOf([
    'input_ids=sample.toks',
    'loss_mask=sample.lossm',
    'logprobs.sampler=sample.old_logps',
    'group_id=problem_id',
    'reward=final_reward',
  ])

  test('reads records of no known format as the native ones', async () => {
    const session = await opened([ROW, { ...ROW, sample: { ...ROW.sample, toks: 'gone' } }, ROW], map)
    const [source] = session.report().sources
    expect(source).toMatchObject({
      format: { id: 'native', confidence: 1, evidence: [`the mapping that was given: ${mappingText(map)}`] },
      trajectories: 2,
    })
    expect(source?.skipped).toMatchObject([{ record: 1, code: 'bad-type' }])
    const { trajectory } = await session.load(0)
    expect(Array.from(trajectory.ids ?? [])).toEqual(IDS)
    expect(Array.from(trajectory.mask ?? [])).toEqual(MASK)
    expect(trajectory).toMatchObject({ group: 'p1', reward: 0.5, meta: { env: 'wiki' } })
    expect(trajectory.logprobs.sampler?.[3]).toBe(-0.5)
  })

  test('says of a path at which nothing stands in how many records that is so', async () => {
    const wrong = mappingOf(['input_ids=sample.toks', 'loss_mask=sample.lossmask', 'logprobs.sampler=sample.old_logps'])
    const [source] = (await opened([ROW, ROW], wrong)).report().sources
    expect(source?.drift).toEqual([
      'loss_mask is mapped to sample.lossmask, where nothing stands in 2 records',
      'unknown field `sample.lossm` in 2 records',
    ])
    expect((await opened([ROW, ROW], map)).report().sources[0]?.drift).toEqual([])
  })

  test('keeps what no field takes beside the rollout, and names lists of a number for each token', async () => {
    const record = {
      sample: { ...ROW.sample, seed: 7, inner: { lp: MASK.map(() => -1), lp_completion: [-1, -1, -1, -1, -1] } },
      q: { toks: IDS.slice(0, 3), template: 'v2' },
      scores: [1, 2],
      names: IDS.map(String),
    }
    const named = mappingOf(['prompt_ids=q.toks', 'completion_ids=sample.toks', 'completion_mask=sample.lossm'])
    const session = await opened([record, record], named)
    expect(session.report().sources[0]?.drift).toEqual([
      'unknown field `sample.inner.lp` in 2 records',
      'unknown field `sample.old_logps` in 2 records',
    ])
    const { trajectory } = await session.load(0)
    expect(Object.keys(trajectory.meta ?? {}).sort()).toEqual(['names', 'q', 'sample', 'scores'])
    expect(trajectory.meta).toMatchObject({ q: { template: 'v2' }, sample: { seed: 7 } })
    expect(trajectory.meta).not.toMatchObject({ sample: { toks: expect.anything() } })
  })

  test('leaves what a trainer wrote to its format', async () => {
    const record = { tokens: [IDS], masks: [MASK.map((flag, i) => (flag ? IDS[i] : -100))], scores: [1] }
    const session = await opened([record], mappingOf(['input_ids=tokens[0]']))
    const [source] = session.report().sources
    expect(source?.format?.id).toBe('atropos')
    expect(source?.notes).toEqual([
      'The mapping that was given (input_ids=tokens[0]) is not used: its records are of a known format, atropos, and are read by that.',
    ])
  })

  test('is for the files whose records it reaches, and leaves others opened with them as they are', async () => {
    const files = {
      'native.jsonl': { input_ids: IDS, loss_mask: MASK },
      'other.jsonl': { rollout: { toks: IDS, lossm: MASK } },
      'mapped.jsonl': ROW,
    }
    const sources = Object.entries(files).map(
      ([name, record]) => new MemorySource(name, Buffer.from(`${JSON.stringify(record)}\n`)),
    )
    const session = await Session.open(sources, { map }, nodeHost(1))
    await session.done
    const { sources: read, totals } = session.report()
    const unused = `The mapping that was given (${mappingText(map)}) is not used: its records are read by their own names, and have nothing there.`
    const notes = new Map(read.map((source) => [source.name, source.notes]))
    expect([...notes]).toEqual(
      expect.arrayContaining([
        ['native.jsonl', [unused]],
        ['mapped.jsonl', undefined],
      ]),
    )
    expect(notes.get('other.jsonl')).toBeUndefined()
    expect(totals.tokens).toMatchObject({ trained: 10, masked: 6 })
    expect(read.find(({ name }) => name === 'native.jsonl')?.format?.evidence).toEqual([
      'keys input_ids, loss_mask',
      `neither token ids nor messages stand where the mapping says (${mappingText(map)})`,
    ])
    expect(session.unreadable).toMatchObject([{ name: 'other.jsonl', code: 'unknown-format' }])
    expect(session.unreadable[0]?.message).toContain('neither token ids nor messages stand where the mapping says')
  })

  describe('of some fields of records that have the others', () => {
    const own = {
      input_ids: IDS,
      loss_mask: MASK.map(() => 1),
      reward: 1,
      train_mask: MASK,
      meta: { r: 0.25, env: 'wiki' },
    }

    test('is used for those, over what stands under their own names', async () => {
      const session = await opened([own, own], mappingOf(['loss_mask=train_mask', 'reward=meta.r']))
      const [source] = session.report().sources
      expect(source).toMatchObject({ format: { id: 'native', version: '1' }, trajectories: 2, drift: [] })
      expect(source?.notes).toBeUndefined()
      expect(source?.format?.evidence).toEqual([
        'keys input_ids, loss_mask',
        'the mapping that was given: loss_mask=train_mask reward=meta.r',
      ])
      const { trajectory } = await session.load(0)
      expect(Array.from(trajectory.mask ?? [])).toEqual(MASK)
      expect(trajectory).toMatchObject({ reward: 0.25, meta: { env: 'wiki' }, issues: [] })
    })

    test.each([
      ['ids alone', { input_ids: IDS, train_mask: MASK }, 'loss_mask=train_mask'],
      ['a mask under another name', { input_ids: IDS, action_mask: MASK.map(() => 1), m: MASK }, 'loss_mask=m'],
      ['labels', { input_ids: IDS, labels: IDS, m: MASK }, 'completion_mask=m'],
      [
        'labels that are named',
        { input_ids: IDS, loss_mask: IDS.map(() => 1), l: IDS.map((id, i) => (MASK[i] ? id : -100)) },
        'labels=l',
      ],
      [
        'a mask of another purpose',
        { input_ids: IDS, loss_mask: IDS.map(() => 1), attention_mask: MASK },
        'loss_mask=attention_mask',
      ],
      [
        'an export',
        { schema: 'rollout-inspector.trajectory/1', input_ids: IDS, loss_mask: IDS, m: MASK },
        'loss_mask=m',
      ],
    ])('beside %s', async (_, record, setting) => {
      const session = await opened([record], mappingOf([setting]))
      const { trajectory } = await session.load(0)
      expect(Array.from(trajectory.mask ?? [])).toEqual(MASK)
      expect(trajectory.issues).toEqual([])
      expect(Array.from(trajectory.attentionMask ?? [])).toEqual('attention_mask' in record ? MASK : [])
      expect(session.report().sources[0]?.drift).toEqual([])
    })

    test('leaves a stream of the same object as it is', async () => {
      const [a, b] = [MASK.map(() => -1), MASK.map(() => -2)]
      const record = { ...own, logprobs: { sampler: a, trainer: a }, recomputed: b }
      const session = await opened([record], mappingOf(['logprobs.trainer=recomputed']))
      const { logprobs } = (await session.load(0)).trajectory
      expect([logprobs.sampler, logprobs.trainer].map((stream) => Array.from(stream ?? []))).toEqual([a, b])
    })

    test('has nothing where a record has nothing at the path, and says so', async () => {
      const { train_mask: _, ...without } = own
      const session = await opened([own, without], mappingOf(['loss_mask=train_mask']))
      expect(session.report().sources[0]?.drift).toEqual([
        'loss_mask is mapped to train_mask, where nothing stands in 1 record',
      ])
      expect((await session.load(1)).trajectory.mask).toBeNull()
    })

    test('that no record has is not used, which a note says', async () => {
      const session = await opened([own], mappingOf(['loss_mask=trian_mask']))
      expect(session.report().sources[0]?.notes).toEqual([
        'The mapping that was given (loss_mask=trian_mask) is not used: its records are read by their own names, and have nothing there.',
      ])
      expect(Array.from((await session.load(0)).trajectory.mask ?? [])).toEqual(MASK.map(() => 1))
    })
  })

  test.each([
    [['ids=tokens'], /FIELD one of input_ids/],
    [['input_ids'], /FIELD=PATH is needed/],
    [['input_ids=a..b'], /a path is names with dots/],
    [['input_ids=a[x]'], /a path is names with dots/],
    [['input_ids='], /a path is names with dots/],
    [['input_ids=a', 'input_ids=b'], /--map input_ids=b: input_ids is mapped to a already/],
  ])('%j is refused with a sentence', (settings, message) => expect(() => mappingOf(settings)).toThrow(message))

  test('own names of objects are no paths, and whatever stands there nothing is thrown', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        proposeMapping([value, { __proto__: { x: 1 }, constructor: value }] as JsonValue[])
      }),
    )
  })
})

test('what a list lacks at its beginning is shown as that, and then what it has', () => {
  const record = { scores: [null, null, -0.5, -0.25], none: [null, null], ids: [5, 6, 7, 8, 9] }
  expect(pathsOf(record).map(({ shown }) => shown)).toEqual([
    '4 numbers: 2 × null, -0.5, -0.25',
    '2 numbers: 2 × null',
    '5 numbers: 5, 6, 7, 8…',
  ])
})

describe('a proposal', () => {
  test('goes by what stands there, then by names', () => {
    expect(proposeMapping([ROW, ROW] as unknown as JsonValue[])).toEqual({
      input_ids: 'sample.toks',
      loss_mask: 'sample.lossm',
      'logprobs.sampler': 'sample.old_logps',
      messages: 'chat',
      reward: 'final_reward',
      group_id: 'problem_id',
    })
  })

  test('takes what rollouts of a prompt share for their group, and flags that are said to train for the mask', () => {
    const row = (i: number) => ({
      uid: `q${i >> 1}-${i % 2}`,
      prompt_hash: `q${i >> 1}`,
      seq: { toks: IDS, train_on: MASK, keep: IDS.map(() => 1) },
    })
    expect(proposeMapping([0, 1, 2, 3].map(row) as unknown as JsonValue[])).toEqual({
      input_ids: 'seq.toks',
      loss_mask: 'seq.train_on',
      group_id: 'prompt_hash',
      id: 'uid',
    })
    expect(proposeMapping([{ uid: 'q1', toks: IDS }])).toEqual({ input_ids: 'toks', group_id: 'uid' })
    expect(proposeMapping([{ q: 17, toks: IDS }])).toEqual({ input_ids: 'toks', group_id: 'q' })
    expect(proposeMapping([{ task: 'hotpot-0031', toks: IDS }])).toEqual({ input_ids: 'toks', group_id: 'task' })
    // A value of the question, and the question itself, name no group.
    expect(proposeMapping([{ q: 0.73, toks: IDS }])).toEqual({ input_ids: 'toks' })
    expect(proposeMapping([{ question: 'Who wrote it? '.repeat(9), toks: IDS }])).toEqual({ input_ids: 'toks' })
  })

  test('prompt and response apart, labels instead of a mask, prediction-aligned arrays', () => {
    const prompt = {
      query_tokens: IDS.slice(0, 3),
      response_tokens: IDS.slice(3),
      action_mask: MASK.slice(3),
      returns: 1,
    }
    expect(proposeMapping([prompt] as unknown as JsonValue[])).toEqual({
      prompt_ids: 'query_tokens',
      completion_ids: 'response_tokens',
      completion_mask: 'action_mask',
      reward: 'returns',
    })
    const labelled = {
      x: IDS,
      y_labels: IDS.map((id, i) => (MASK[i] ? id : -100)),
      adv_advantages: MASK.slice(1).map((flag) => flag * 0.5),
    }
    expect(proposeMapping([labelled] as unknown as JsonValue[])).toEqual({
      input_ids: 'x',
      labels: 'y_labels',
      advantages: 'adv_advantages',
    })
  })

  test('prompt and response whose names say nothing, by what is as long as one of them alone', () => {
    const [q, a] = [IDS.slice(0, 3), IDS.slice(3)]
    const pair = { q_toks: q, a_toks: a, a_mask: MASK.slice(3), lp: MASK.slice(3).map(() => -0.5), score: 1 }
    expect(proposeMapping([pair])).toEqual({
      prompt_ids: 'q_toks',
      completion_ids: 'a_toks',
      completion_mask: 'a_mask',
      'logprobs.sampler': 'lp',
      reward: 'score',
    })
    // Where one is all of it, or nothing tells which is which, no half is made up.
    expect(proposeMapping([{ q_toks: q, all: IDS, m: MASK }])).not.toHaveProperty('completion_ids')
    expect(proposeMapping([{ x: q, y: a }])).toEqual({ input_ids: 'x' })
    expect(proposeMapping([{ x: a, y: [...a].reverse(), m: MASK.slice(3) }])).not.toHaveProperty('completion_ids')
  })

  test.each([
    ['times of tools', { seq: IDS, tool_ms: [1203, 845, 4100] }, 'seq'],
    ['the targets of the next token', { toks: IDS, next_toks: IDS.slice(1, -1) }, 'toks'],
    ['a reference answer', { my_toks: IDS, gold_toks: IDS.slice(6) }, 'my_toks'],
    ['a part of it', { my_toks: IDS, tool_toks: IDS.slice(2, 5) }, 'my_toks'],
    ['a half that has its name', { input_toks: IDS.slice(4), response_toks: IDS }, 'input_toks'],
  ])('no prompt where a list beside the ids is %s', (_, ids, whole) => {
    const proposed = proposeMapping([{ ...ids, mask: MASK, reward: 1 }])
    expect(proposed).toMatchObject({ input_ids: whole })
    expect(proposed).not.toHaveProperty('prompt_ids')
  })

  test.each([
    ['old_policy_lp', 'logprobs.sampler'],
    ['new_policy_lp', 'logprobs.trainer'],
    ['ref_policy_lp', 'logprobs.reference'],
  ] as const)('%s as %s, by whose it is said to be first', (name, field) => {
    const scores = IDS.map((_, i) => -0.1 - i / 100)
    expect(proposeMapping([{ toks: IDS, lp: scores, [name]: scores.map((score) => score / 2) }])).toMatchObject({
      [field]: name,
    })
    expect(proposeMapping([{ toks: IDS, [name]: scores }])).toEqual({ input_ids: 'toks', [field]: name })
  })

  test('names that are cut short, each logprobs to who scored', () => {
    const scores = (from: number) => IDS.map((_, i) => (MASK[i] ? from - i / 100 : null))
    const row = {
      uid: 'u0',
      problem_idx: 'q1',
      iter: 7,
      sample: { toks: IDS, train_on: MASK, lp_fsdp: scores(-0.2), lp_vllm: scores(-0.1), lp_ref: scores(-0.3) },
      adv: 0.2,
      score: 0.9,
      stop_why: 'stop',
    }
    expect(proposeMapping([row])).toEqual({
      input_ids: 'sample.toks',
      loss_mask: 'sample.train_on',
      'logprobs.sampler': 'sample.lp_vllm',
      'logprobs.trainer': 'sample.lp_fsdp',
      'logprobs.reference': 'sample.lp_ref',
      reward: 'score',
      advantage: 'adv',
      group_id: 'problem_idx',
      id: 'uid',
      step: 'iter',
      finish_reason: 'stop_why',
    })
    const { lp_fsdp, lp_ref, lp_vllm, ...sample } = row.sample
    expect(proposeMapping([{ ...row, sample: { ...sample, new_lp: lp_fsdp } }])).not.toHaveProperty([
      'logprobs.sampler',
    ])
    expect(proposeMapping([{ ...row, sample: { ...sample, help: lp_vllm } }])).not.toHaveProperty(['logprobs.sampler'])
  })

  test('the names of an Experience of OpenRLHF, the base model as the reference', () => {
    const scores = (from: number) => MASK.slice(1).map((_, i) => from - i / 100)
    const row = {
      sequences: IDS,
      action_mask: MASK.slice(1),
      rollout_log_probs: scores(-0.1),
      action_log_probs: scores(-0.2),
      base_action_log_probs: scores(-0.3),
    }
    expect(proposeMapping([row])).toEqual({
      input_ids: 'sequences',
      loss_mask: 'action_mask',
      'logprobs.sampler': 'rollout_log_probs',
      'logprobs.trainer': 'action_log_probs',
      'logprobs.reference': 'base_action_log_probs',
    })
  })

  test('no group by a uid that only counts the rows, as by one that several share', () => {
    const rows = (uid: (row: number) => unknown) =>
      [0, 1, 2, 3].map((row) => ({ toks: IDS, mask: MASK, uid: uid(row) })) as JsonValue[]
    expect(proposeMapping(rows((row) => row))).toMatchObject({ input_ids: 'toks', id: 'uid' })
    expect(proposeMapping(rows((row) => row))).not.toHaveProperty('group_id')
    expect(proposeMapping(rows((row) => row >> 1))).toMatchObject({ group_id: 'uid' })
    expect(proposeMapping(rows((row) => `u${row}`))).toMatchObject({ group_id: 'uid' })
  })

  test('texts where they were rewarded, and no data set', async () => {
    const row = (i: number) => ({ prompt: `Question ${i >> 1}?`, completion: `Answer ${i}.`, reward: i % 2, step: 3 })
    const records = [0, 1, 2, 3].map(row)
    expect(proposeMapping(records)).toEqual({
      prompt_text: 'prompt',
      completion_text: 'completion',
      reward: 'reward',
      step: 'step',
    })
    expect(proposeMapping(records.map(({ prompt, completion }) => ({ prompt, completion })))).toBeNull()
    expect(proposeMapping(records.map(({ prompt, reward }) => ({ prompt, reward })))).toBeNull()
    const refused = await opened(records)
    const told = '--map prompt_text=prompt completion_text=completion reward=reward step=step'
    expect(refused.unreadable[0]?.message).toContain(told)

    const session = await opened(records, mappingOf(told.split(' ').slice(1)))
    const { trajectory } = await session.load(1)
    expect(trajectory.messages).toEqual([
      { role: 'user', content: 'Question 0?', flattened: true },
      { role: 'assistant', content: 'Answer 1.', flattened: true },
    ])
    expect(session.facts.map(({ reward, step, turns }) => [reward, step, turns])).toEqual([
      [0, 3, 0],
      [1, 3, 0],
      [0, 3, 0],
      [1, 3, 0],
    ])
    expect(session.report().totals.groups).toBe(2)
  })

  test('texts beside ids are columns like any other: no messages, no groups', async () => {
    const texts = { prompt_text: 'Who?', completion_text: 'It is 6.' }
    const rows = [0, 1, 2, 3].map((i) => ({ id: `r${i}`, input_ids: IDS, loss_mask: MASK, reward: i % 2, ...texts }))
    for (const map of [
      undefined,
      mappingOf(['input_ids=input_ids', 'loss_mask=loss_mask', 'prompt_text=prompt_text']),
      mappingOf(['input_ids=input_ids', 'prompt_text=prompt_text', 'completion_text=completion_text']),
    ]) {
      const session = await opened(rows, map)
      expect(session.report().sources[0]?.missing).toEqual(expect.arrayContaining(['messages', 'group']))
      expect(session.report().totals.groups).toBe(0)
      const { trajectory } = await session.load(1)
      expect(trajectory).toMatchObject({ messages: null, group: null, meta: texts })
    }
  })

  test('counts, masks and positions are no ids', () => {
    const row = { positions: Array.from({ length: 600 }, (_, i) => i), lengths: [1, 2, 3], flags: MASK, reward: 1 }
    expect(proposeMapping([row] as unknown as JsonValue[])).toBeNull()
  })

  test('stands in the sentence about a dump of no known format, and reads it as it is', async () => {
    const session = await opened([ROW, ROW])
    const [problem] = session.unreadable
    expect(problem?.message).toContain('They may be read with --map input_ids=sample.toks loss_mask=sample.lossm')
    const proposed = /--map (.+)$/.exec(problem?.message ?? '')?.[1] ?? ''
    expect((await opened([ROW, ROW], mappingOf(proposed.split(' ')))).report().totals.tokens).toMatchObject({
      trained: 10,
      masked: 6,
    })
  })
})

describe('a record that is mapped', () => {
  const mapped = (record: string, ...settings: readonly string[]) => {
    const raw = { value: JSON.parse(record) } as RawRecord
    return mappedRecords([raw], mappingOf(settings))[0]?.value
  }

  test('gives nothing that all objects have', () => {
    const settings = ['id=constructor.name', 'model=toString', 'rewards=__proto__', 'input_ids=a.__proto__']
    expect(mapped('{"a": {}}', ...settings)).toEqual({})
  })

  test('keeps names that mean something to a program as names', () => {
    const record =
      '{"toks": [1], "__proto__": {"x": 1}, "run": {"id": "a", "constructor": 2, "__proto__": {"y": 3, "z": 4}}}'
    const value = mapped(record, 'input_ids=toks', 'id=run.id', 'step=run.__proto__.y')
    expect(JSON.stringify(value)).toBe(
      '{"input_ids":[1],"id":"a","step":3,"meta":{"__proto__":{"x":1},"run":{"constructor":2,"__proto__":{"z":4}}}}',
    )
  })

  test('keeps an object of the native format together that several fields fill', () => {
    const value = mapped('{"p": [1], "q": [2], "r": [3]}', 'logprobs.sampler=p', 'logprobs.trainer=q', 'reward=r[0]')
    expect(value).toEqual({ reward: 3, logprobs: { sampler: [1], trainer: [2] } })
  })
})
