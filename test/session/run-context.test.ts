import { expect, test } from 'vitest'
import { MemorySource } from '../../cli/byte-sources.ts'
import { nodeHost } from '../../cli/host.ts'
import { Session } from '../../shared/session/session.ts'

const ROW = { input_ids: [1, 2, 3], loss_mask: [0, 1, 1], reward: 1, group_id: 'g' }
const rows = (name: string, ...records: object[]) =>
  new MemorySource(name, Buffer.from(records.map((record) => JSON.stringify(record)).join('\n')))
const described = (name: string, object: object) => new MemorySource(name, Buffer.from(JSON.stringify(object, null, 1)))

async function opened(...sources: MemorySource[]) {
  const session = await Session.open(sources, {}, nodeHost(1))
  await session.done
  return session
}

test('a folder is one run: step by name, model, group size and limits by the file beside it', async () => {
  const session = await opened(
    described('run/metadata.json', { model: 'Qwen/Qwen2.5-7B', rollouts_per_example: 2, max_seq_len: 512 }),
    rows('run/rollouts/step_3/rank_0.jsonl', ROW, {
      ...ROW,
      reward: 0,
      step: 9,
      model: 'own',
      limits: { max_seq_len: 64 },
    }),
    rows('run/rollouts/step_4/rank_0.jsonl', ROW),
    rows('elsewhere/step_5.jsonl', ROW),
  )
  expect(session.facts.map(({ step, model, groupSize }) => ({ step, model, groupSize }))).toEqual([
    { step: 3, model: 'Qwen/Qwen2.5-7B', groupSize: 2 },
    { step: 9, model: 'own', groupSize: 2 },
    { step: 4, model: 'Qwen/Qwen2.5-7B', groupSize: 2 },
    { step: 5, model: null, groupSize: null },
  ])
  expect(session.facts.map(({ limits }) => limits?.max_seq_len ?? null)).toEqual([512, 64, 512, null])
  expect(session.unreadable).toEqual([])
  expect(session.report().logs).toMatchObject([
    {
      name: 'run/metadata.json',
      kind: 'metadata',
      notes: ['model Qwen/Qwen2.5-7B', 'group size 2', 'max_seq_len 512'],
    },
  ])
  // Read again from its source it is the same rollout.
  expect((await session.load(0)).trajectory).toMatchObject({ step: 3, model: 'Qwen/Qwen2.5-7B' })
})

test('the configurations of the parts of a run speak for the folder that holds theirs, as far as they agree', async () => {
  const session = await opened(
    described('run/configs/orchestrator.json', { model: { name: 'm' }, eval: { group_size: 1 }, group_size: 8 }),
    described('run/configs/trainer.json', { model: { name: 'm', seq_len: 2048 }, max_turns: 3 }),
    described('run/configs/inference.json', { model: { name: 'm' }, max_turns: 4 }),
    rows('run/rollouts/step_3/rank_0.jsonl', ROW),
    described('other/configs/a.json', { model: 'a', group_size: 2 }),
    described('other/configs/b.json', { model: 'b', group_size: 2 }),
    rows('other/rollouts.jsonl', ROW),
  )
  expect(session.facts.map(({ model, groupSize }) => ({ model, groupSize }))).toEqual([
    { model: 'm', groupSize: 8 },
    { model: null, groupSize: 2 },
  ])
  expect(session.facts.map(({ limits }) => limits?.max_seq_len ?? null)).toEqual([2048, null])
  expect(session.facts[0]?.limits?.max_turns ?? null).toBe(null)
})

test('of several descriptions that speaks whose name begins as the file does, and none where that is not known', async () => {
  const session = await opened(
    described('a__1.metadata.json', { model: 'model-a', num_examples: 2, rollouts_per_example: 3 }),
    described('b__2.metadata.json', { model: 'model-b', num_examples: 2, rollouts_per_example: 3 }),
    rows('a__1.results.jsonl', ROW),
    rows('b__2.results.jsonl', ROW),
    rows('c.jsonl', ROW),
  )
  expect(session.facts.map(({ model }) => model)).toEqual(['model-a', 'model-b', null])
})

test('rollouts of no known format are no description of the run, though each names its model', async () => {
  const odd = { sample: { tok: [151644, 872, 198, 9707], m: [0, 0, 1, 1] }, model: 'Qwen/Qwen2.5-7B', group_size: 4 }
  const session = await opened(
    rows('run/one.jsonl', odd),
    rows('run/two.jsonl', { ...odd, sample: { tok: odd.sample.tok } }, odd),
    rows('run/texts.jsonl', { prompt: 'Who?', response: 'She.', score: 1, model: 'm', max_seq_len: 64 }),
    rows('run/rollouts.jsonl', ROW),
  )
  expect(session.unreadable.map(({ name, code }) => ({ name, code }))).toEqual([
    { name: 'run/one.jsonl', code: 'unknown-format' },
    { name: 'run/two.jsonl', code: 'unknown-format' },
    { name: 'run/texts.jsonl', code: 'unknown-format' },
  ])
  expect(session.unreadable[0]?.message).toContain('--map input_ids=sample.tok loss_mask=sample.m')
  expect(session.logs).toEqual([])
  expect(session.facts).toMatchObject([{ model: null, groupSize: null }])
})

test('records of a known kind that hold no rollouts are called what they are, though a mapping could be proposed', async () => {
  const failed = { _ng_failure_class: 'timeout', input: [{ role: 'user', content: 'Who?' }] }
  const session = await opened(rows('failures.jsonl', failed, failed), rows('rollouts.jsonl', ROW))
  expect(session.unreadable).toEqual([])
  expect(session.logs).toMatchObject([{ name: 'failures.jsonl', title: expect.stringContaining('that failed') }])
})

test('a list of large numbers among the settings of a run makes no rollout of them', async () => {
  const settings = { model: 'm', group_size: 4, milestones: [1000, 5000, 2000] }
  const session = await opened(described('run/config.json', settings), rows('run/rollouts.jsonl', ROW))
  expect(session.unreadable).toEqual([])
  expect(session.facts).toMatchObject([{ model: 'm', groupSize: 4 }])
})
