import { readdirSync, readFileSync } from 'node:fs'
import { encode } from '@msgpack/msgpack'
import { expect, test } from 'vitest'
import type { ByteSource } from '../../shared/model/source.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited } from './dumps.ts'

const FOLDER = new URL('../fixtures/joined/prime-rl-traces/', import.meta.url)

/** The folder of traces that a run leaves: a sealed chunk, a live one, what was learned later, and the indices of all. */
function run(): ByteSource[] {
  return readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(FOLDER.pathname.length))
    .map((name) => name.replace(/^\//, ''))
    .sort()
    .map((name) => memorySource(new Uint8Array(readFileSync(new URL(name, FOLDER))), 1 << 14, name))
}

test('a run of prime-rl is its stream, sealed and live; what is beside it counts no rollout', async () => {
  const session = await audited(run(), { tokenizer: 'qwen2.5' })
  expect(session.unreadable).toEqual([])
  expect(
    session
      .report()
      .sources.map(({ name, container, format, trajectories }) => [name, container, format?.version, trajectories]),
  ).toEqual([
    ['annotations/orchestrator.index.jsonl', 'jsonl', 'Index', 0],
    ['annotations/orchestrator/00000.jsonl', 'jsonl', 'Annotations', 0],
    ['annotations/trainer.index.jsonl', 'jsonl', 'Index', 0],
    ['annotations/trainer/00000.jsonl', 'jsonl', 'Annotations', 0],
    ['stream.index.jsonl', 'jsonl', 'Index', 0],
    ['stream/00000.jsonl.zst', 'jsonl+zstd', 'Episode', 4],
    ['stream/00001.jsonl', 'jsonl', 'Episode', 2],
  ])
  expect(session.facts.map(({ id }) => id)).toEqual(['t0', 't1', 't2', 't2.1', 't3', 't4'])
  expect(session.report().findings.filter(({ severity }) => severity !== 'info')).toEqual([])
})

test('annotations give their traces what was learned later, whether workers read them or not', async () => {
  const session = await audited(run(), { tokenizer: 'qwen2.5' })
  expect(session.facts.map(({ id, advantage }) => [id, advantage])).toEqual([
    ['t0', 0.25],
    ['t1', -0.75],
    ['t2', 0.5],
    ['t2.1', 0.5],
    ['t3', null],
    ['t4', null],
  ])
  const { trajectory, record } = await session.load(0)
  expect(trajectory.logprobs.trainer?.filter((value) => !Number.isNaN(value))).toHaveLength(29)
  expect(trajectory.meta.info).toMatchObject({ effective: true, ship: { step: 13 } })
  // The record is still its own line.
  expect(Object.keys(record.value as object)).toContain('traces')
  const { sources } = session.report()
  expect(sources.flatMap(({ notes }) => notes ?? [])).toEqual([
    '4 of 4 notes on stream/00000.jsonl.zst, joined by trace id',
    '3 of 4 notes on stream/00000.jsonl.zst, joined by trace id',
    '3 of 3 records joined by trace id with annotations/orchestrator/00000.jsonl, annotations/trainer/00000.jsonl',
  ])
})

const lines = (name: string) =>
  readFileSync(new URL(`../../formats/prime-rl-traces/${name}`, FOLDER), 'utf8')
    .trim()
    .split('\n')

test('what stands in `all` and again in `effective` is one rollout, with the credit of the latter', async () => {
  const [credited, , forked, failed] = lines('2026-08/traces.jsonl') as [string, string, string, string]
  const plain = (line: string) => line.replace(/"advantages":\[[^\]]*\],/g, '')
  const sources = (all: string[], effective: string[]) => [
    memorySource(all.join('\n'), 1 << 14, 'rollouts/step_12/train/all/traces.jsonl'),
    memorySource(effective.join('\n'), 1 << 14, 'rollouts/step_12/train/effective/traces.jsonl'),
  ]
  const session = await audited(sources([plain(credited), forked, failed].map(plain), [credited, forked]))
  expect(session.facts.map(({ id, place, advantage }) => [id, place.source, advantage])).toEqual([
    ['t0', 0, 0.25],
    ['t2', 0, null],
    ['t2.1', 0, null],
    ['t3', 0, null],
  ])
  expect(session.report().sources.map(({ records, trajectories }) => [records, trajectories])).toEqual([
    [3, 4],
    [2, 0],
  ])
  // Alone, either folder is what it holds.
  for (const source of sources([credited, forked, failed], [credited, forked])) {
    const alone = await audited([source])
    expect(alone.facts.length).toBe(source.name.includes('effective') ? 3 : 4)
  }
})

test('of two producers the later file wins, whichever record of a batch is annotated first', async () => {
  const files = run().filter(({ name }) => name.startsWith('stream/'))
  const note = (id: string, advantage: number) =>
    JSON.stringify({ version: 1, trace_id: id, info: { advantage }, branches: [] })
  const first = memorySource(note('t1', 1), 1 << 14, 'annotations/a/00000.jsonl')
  const second = memorySource([note('t0', 2), note('t1', 3)].join('\n'), 1 << 14, 'annotations/b/00000.jsonl')
  const advantages = async (sources: ByteSource[]) =>
    (await audited([...sources, ...files])).facts.slice(0, 2).map(({ advantage }) => advantage)
  expect(await advantages([first, second])).toEqual([2, 3])
  expect(await advantages([second, first])).toEqual([2, 1])
})

test('what is in flight counts no rollout', async () => {
  const deltas = [
    {
      trace: 't9',
      open: { version: 1, id: 't9', task: { type: 'T', data: {} } },
      dispatch: { kind: 'train', step: 12 },
    },
    { trace: 't9', nodes: [{ parent: null, message: { role: 'user', content: 'Hi' }, token_ids: [1] }], calls: [] },
    { trace: 't9', set: { timing: {} } },
  ]
  const live = memorySource(deltas.map((delta) => JSON.stringify(delta)).join('\n'), 1 << 14, 'live/t9.jsonl')
  const session = await audited([...run(), live])
  expect(session.unreadable).toEqual([])
  expect(session.facts).toHaveLength(6)
  expect(session.report().sources.at(-1)).toMatchObject({
    format: { version: 'Live' },
    records: 3,
    trajectories: 0,
    drift: [],
  })
})

const fixture = (name: string) => new Uint8Array(readFileSync(new URL(`../../formats/${name}`, FOLDER)))

test('what the trainer wrote of a rollout is told with it, found by its tokens', async () => {
  const traces = memorySource(fixture('prime-rl-traces/2026-09/00000.jsonl'), 1 << 14, 'traces/stream/00000.jsonl')
  const exported = memorySource(fixture('prime-rl-export/2026-08/rank_0.jsonl'), 1 << 14, 'token_exports/rank_0.jsonl')
  const batches = memorySource(fixture('prime-rl-batch/2026-06-23/rank_0.bin'), 1 << 14, 'rollouts/rank_0.bin')
  const session = await audited([traces, exported, batches], { tokenizer: 'qwen2.5' })
  // Rows 3 to 5 of the export are of rollouts that are not in the stream, row 8 is of the second branch of t2.
  expect(session.facts.map(({ id, place }) => [place.source, id])).toEqual([
    ...['t0', 't1', 't2', 't2.1', 't3', 't4'].map((id) => [0, id]),
    ...['12/0/3', '12/0/4', '12/0/5'].map((id) => [1, id]),
  ])
  const [t0, t4] = [(await session.load(0)).trajectory, (await session.load(5)).trajectory]
  expect(t0.logprobs.trainer?.filter((value) => !Number.isNaN(value))).toHaveLength(151)
  expect(t0.entropy?.[1]).toBe(0.5)
  expect([t0.reward, t0.group, t0.messages?.length]).toEqual([1.125, 'g1', 5])
  // What evaluates the run is trained nowhere, though t4 has the tokens of t0.
  expect(t4.logprobs.trainer).toBeNull()
  expect(session.report().sources.map(({ notes }) => notes?.[0])).toEqual([
    '5 of 5 rollouts joined by token ids with token_exports/rank_0.jsonl, rollouts/rank_0.bin',
    '5 of 8 rollouts told with traces/stream/00000.jsonl, joined by token ids',
    '2 of 2 rollouts told with traces/stream/00000.jsonl, joined by token ids',
  ])
  // Without the rollouts the batches are what the export is told with.
  const trained = await audited([exported, batches])
  expect(trained.facts.filter(({ place }) => place.source === 1).map(({ id }) => id)).toEqual(['0', '0.1'])
  expect((await trained.load(trained.facts.findIndex(({ place }) => place.source === 1))).trajectory.entropy?.[1]).toBe(
    0.5,
  )
})

test('a row that fills up a batch is told with the rollout that it copies, and takes nothing from it', async () => {
  const ids = [10, 11, 12, 13, 14]
  const mask = [false, false, false, true, true]
  const node = (message: object, from: number, to: number, sampled: boolean) => ({
    message,
    sampled,
    token_ids: ids.slice(from, to),
    mask: mask.slice(from, to),
    logprobs: sampled ? [-0.5, -0.25] : [],
  })
  const trace = {
    version: 1,
    id: 't0',
    task: { type: 'Task', data: { prompt: 'a' } },
    agent: { name: 'agent' },
    nodes: [
      node({ role: 'user', content: 'a' }, 0, 3, false),
      { ...node({ role: 'assistant', content: 'b' }, 3, 5, true), parent: 0 },
    ],
    calls: [],
    rewards: { total: { score: 1, weight: 1 } },
    metrics: {},
    info: {},
    errors: [],
    is_completed: true,
    ok: true,
    stop_condition: null,
  }
  const episode = {
    id: 'e0',
    env: { id: 'x' },
    task: trace.task,
    run: { type: 'train', id: 'r', work: { type: 'train', step: 4 } },
    ok: true,
    errors: [],
    traces: [trace],
  }
  // input_ids, loss_mask, advantages, inference_logprobs, position_ids, sequence_lengths, temperatures, env_names, seq_lens
  const row = (trains: boolean) => [
    [...ids, 1, 1],
    [...mask.map((each) => each && trains), false, false],
    [...ids.map(() => (trains ? 0.75 : 0)), 0, 0],
    [0, 0, 0, -0.5, -0.25, 0, 0],
    [0, 1, 2, 3, 4, 0, 1],
    [7],
    [1, 1, 1, 1, 1, 1, 1],
    ['x', 'x', 'x', 'x', 'x', '', ''],
    [7],
  ]
  const batch = (name: string, trains: boolean) => memorySource(encode([row(trains)]), 1 << 14, `step_4/${name}`)
  const traces = memorySource(`${JSON.stringify(episode)}\n`, 1 << 14, 'step_4/train/all/traces.jsonl')
  for (const sources of [
    [batch('rank_0.bin', true), batch('rank_1.bin', false), traces],
    [batch('rank_0.bin', false), batch('rank_1.bin', true), traces],
  ]) {
    const session = await audited(sources, { tokenizer: 'qwen2.5' })
    expect(session.facts).toHaveLength(1)
    const { trajectory } = await session.load(0)
    expect(trajectory).toMatchObject({ id: 't0', excluded: false })
    expect(trajectory.mask).toEqual(Uint8Array.from(mask, Number))
    expect(trajectory.advantages?.at(-1)).toBe(0.75)
    expect(trajectory.advantages).toHaveLength(ids.length)
  }
})
