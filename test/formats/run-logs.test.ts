import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recogniseFormat } from '../../shared/formats/registry.ts'
import { metricsOf } from '../../shared/formats/run-logs/metric-names.ts'
import { RUN_LOGS, readRunLog } from '../../shared/formats/run-logs/registry.ts'
import type { RunLog } from '../../shared/model/run-log.ts'
import { memorySource } from '../containers/memory-source.ts'
import { FIXTURES, fixtureNames } from './fixture-files.ts'

const folder = new URL('../fixtures/run-logs/', import.meta.url)
const bytesOf = (name: string) => new Uint8Array(readFileSync(new URL(name, folder)))
const read = (bytes: Uint8Array) => readRunLog(memorySource(bytes, 777, 'any name'))
const STEPS = [1, 2, 3, 4, 5, 6]
const REWARDS = STEPS.map((step) => Number((0.6 + 0.01 * (step % 3)).toFixed(4)))

/** What each fixture is, and the name of its reward. */
const LOGS: Readonly<
  Record<string, { kind: string; reward: string; steps?: number[]; others: Partial<Record<string, string>> }>
> = {
  'trainer_state.json': {
    kind: 'trainer-state',
    reward: 'reward',
    others: {
      'reward-std': 'reward_std',
      'flat-groups': 'frac_reward_zero_std',
      kl: 'kl',
      'grad-norm': 'grad_norm',
      'completion-length': 'completions/mean_length',
      'clipped-ratio': 'completions/clipped_ratio',
      entropy: 'entropy',
      loss: 'loss',
      'learning-rate': 'learning_rate',
    },
  },
  'metrics.jsonl': {
    kind: 'metric-lines',
    reward: 'env/all/reward/total',
    steps: STEPS.map((step) => step - 1),
    others: { 'sampler-gap': 'optim/kl_sample_train_v1', 'learning-rate': 'optim/lr' },
  },
  'wandb-history.jsonl': { kind: 'metric-lines', reward: 'train/reward', others: { kl: 'train/kl' } },
  'wandb-columns.json': { kind: 'metric-lines', reward: 'reward', others: { 'reward-std': 'reward_std' } },
  'wandb-table.json': { kind: 'metric-lines', reward: 'reward', others: { kl: 'kl' } },
  'wandb-chart.csv': { kind: 'table', reward: 'critic/score/mean', others: {} },
  'history.csv': { kind: 'table', reward: 'reward', others: { 'grad-norm': 'grad_norm' } },
  'trl.log': { kind: 'console', reward: 'reward', others: { kl: 'kl', 'flat-groups': 'frac_reward_zero_std' } },
  'verl.log': {
    kind: 'console',
    reward: 'critic/score/mean',
    others: {
      kl: 'actor/kl_loss',
      'grad-norm': 'actor/grad_norm',
      'clipped-ratio': 'response_length/clip_ratio',
      'sampler-gap': 'training/rollout_probs_diff_mean',
    },
  },
  'prime-rl.log': { kind: 'console', reward: 'reward', others: { entropy: 'entropy', 'grad-norm': 'grad_norm' } },
  'nemo-rl.log': { kind: 'console', reward: 'avg_reward', others: { loss: 'loss' } },
  'slime.log': {
    kind: 'console',
    reward: 'rollout/raw_reward',
    others: { kl: 'train/kl_loss', 'grad-norm': 'train/grad_norm' },
  },
  'events.out.tfevents.1767225600.host.1.0': {
    kind: 'tensorboard',
    reward: 'train/reward',
    others: { kl: 'train/kl' },
  },
}

const series = (log: RunLog | null, metric: string) => log?.series.find((each) => each.metric === metric)

test('every fixture is told of, and every kind has one', () => {
  expect(Object.keys(LOGS).sort()).toEqual(readdirSync(folder).sort())
  expect(new Set(Object.values(LOGS).map(({ kind }) => kind))).toEqual(new Set(RUN_LOGS.map(({ id }) => id)))
})

describe.each(Object.entries(LOGS))('%s', (name, { kind, reward, steps = STEPS, others }) => {
  test('is read by step, whatever it is called', async () => {
    const log = await read(bytesOf(name))
    expect(log?.kind).toBe(kind)
    const rewards = series(log, 'reward')
    expect(rewards?.name).toBe(reward)
    expect(Array.from(rewards?.steps ?? [])).toEqual(steps)
    expect(Array.from(rewards?.values ?? [], (value) => Number(value.toFixed(4)))).toEqual(REWARDS)
    for (const [metric, own] of Object.entries(others)) expect(series(log, metric)?.name, metric).toBe(own)
  })

  test('cut anywhere it gives what stands before, and never throws', async () => {
    const bytes = bytesOf(name)
    for (let end = 1; end < bytes.length; end += Math.ceil(bytes.length / 60)) {
      const log = await read(bytes.slice(0, end)).catch((error: unknown) => {
        // A state or table that is one JSON value cannot be read in part, and says so.
        expect(String(error)).toMatch(/Error: /)
        expect(kind === 'trainer-state' || name.endsWith('.json')).toBe(true)
        return null
      })
      for (const { steps: found, values } of log?.series ?? []) expect(found.length).toBe(values.length)
    }
  })
})

test('what is counted, cut or left out is said', async () => {
  expect((await read(bytesOf('trl.log')))?.notes.join()).toMatch(/^Its 6 lines name no step/)
  expect((await read(bytesOf('metrics.jsonl')))?.notes).toEqual(['1 of its lines could not be read.'])
  const events = bytesOf('events.out.tfevents.1767225600.host.1.0')
  expect((await read(events.slice(0, -5)))?.notes.join()).toMatch(/declares \d+ bytes, which are not there/)
})

test('lines without a step are counted by kind, also where some of their names come and go', async () => {
  const lines = [1, 2, 3, 4].flatMap((step) => [
    `{'loss': 0.1, 'grad_norm': 0.3, 'reward': 0.${step}, 'reward_std': 0.2, ${step === 3 ? "'tools/call_frequency': 1.0, " : ''}'epoch': 0.${step}}`,
    ...(step % 2 === 0 ? [`{'eval_loss': 0.2, 'eval_reward': 0.9, 'eval_runtime': 3.1, 'epoch': 0.${step}}`] : []),
  ])
  const log = await read(new TextEncoder().encode(`${lines.join('\n')}\n`))
  const rewards = series(log, 'reward')
  expect(Array.from(rewards?.steps ?? [])).toEqual([1, 2, 3, 4])
  expect(Array.from(rewards?.values ?? [])).toEqual([0.1, 0.2, 0.3, 0.4])
})

test('slime says the lengths of its rollouts on a line of their own', async () => {
  const lines = [3, 4].map(
    (step) =>
      `(RolloutManager pid=7) perf ${step}: {'rollout/response_len/mean': ${step * 100}.0, 'rollout/truncated_ratio': 0.0, 'perf/rollout_time': 3.5}`,
  )
  const log = await read(new TextEncoder().encode(`${lines.join('\n')}\n`))
  const lengths = series(log, 'completion-length')
  expect([Array.from(lengths?.steps ?? []), Array.from(lengths?.values ?? [])]).toEqual([
    [3, 4],
    [300, 400],
  ])
})

test('NaN stays NaN, an empty cell is no number', async () => {
  const kl = series(await read(bytesOf('wandb-history.jsonl')), 'kl')
  expect(Array.from(kl?.values ?? [])).toEqual([0.01, 0.02, Number.NaN, 0.04, 0.05, 0.06])
  expect(Array.from(series(await read(bytesOf('history.csv')), 'grad-norm')?.steps ?? [])).toEqual([1, 3, 4, 5, 6])
})

test('what a run evaluates is not what it trains on, and no name stands for two metrics', () => {
  const names = ['eval/reward', 'eval_reward', 'val/reward/mean', 'test/kl']
  expect(metricsOf(names)).toEqual(new Map())
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30 })), (any) => {
      const found = metricsOf([...any, 'reward', 'kl'])
      expect(new Set(found.values()).size).toBe(found.size)
    }),
  )
})

test.each(fixtureNames)('%s is a dump of rollouts and no log', async (name) => {
  const bytes = new Uint8Array(readFileSync(new URL(name, FIXTURES)))
  expect(await read(bytes)).toBeNull()
})

test('a script that makes metrics is no log of them, nor is one dictionary', async () => {
  const line = "d = {'reward': 0.5, 'kl': 0.1}\n"
  const none = [
    `import json,random\n${line}${line}`,
    `#!/usr/bin/env python\n${line}${line}`,
    `import torch\n${line}${line}`,
    `${'\n'.repeat(30_000)}import torch\n${line}${line}`,
    `\n# how the run was made\n\ndef run():\n  ${line}${line}`,
    `'''Makes metrics.'''\n${line}${line}`,
    line,
  ]
  for (const text of none) expect(await read(new TextEncoder().encode(text)), text).toBeNull()
  for (const printed of ['    import torch\n', 'import math\ndef solve(x):\n  return x\n']) {
    const log = await read(new TextEncoder().encode(`A sample:\n${printed}${line}${line}`))
    expect(
      log?.series.map(({ metric }) => metric),
      printed,
    ).toContain('reward')
  }
})

test('prose and settings are no log', async () => {
  const encoder = new TextEncoder()
  for (const text of [
    'Notes on training: lower the rate.\nThen train on.\n',
    '{"learning_rate": 1e-6, "steps": 100}',
    'name,value\na,1\n',
    "{'lr': 1e-6}\n",
  ]) {
    const log = await read(encoder.encode(text))
    expect(log?.series.filter(({ metric }) => metric === 'reward' || metric === 'kl') ?? [], text).toEqual([])
  }
  expect(recogniseFormat({ records: [{ step: 1, reward: 0.5 }] })).toBeNull()
})

test('a table of rollouts that an export wrote is no log of a training, whatever its columns', async () => {
  const log = 'step,reward\n1,0.5\n2,0.6\n'
  const rollouts =
    'source,record,part,trajectory,group,step,reward\nrun.jsonl,0,0,q1-0,q1,1,0.5\nrun.jsonl,1,0,q1-1,q1,2,0.6\n'
  const kindOf = async (text: string) => (await read(new TextEncoder().encode(text)))?.kind ?? null
  expect([await kindOf(log), await kindOf(rollouts)]).toEqual(['table', null])
})
