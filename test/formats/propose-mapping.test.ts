import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../shared/containers/container.ts'
import { mappingOf } from '../../shared/formats/mapping.ts'
import { proposeMapping } from '../../shared/formats/propose-mapping.ts'
import { IDS, MASK, opened, ROW } from './mapped-rows.ts'

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
