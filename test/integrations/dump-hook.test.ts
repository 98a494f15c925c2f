import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../shared/model/report.ts'
import { memorySource } from '../containers/memory-source.ts'
import { readSample, type SampleRecord } from '../samples/read-sample.ts'
import { audited } from '../session/dumps.ts'

const RUNNER = fileURLToPath(new URL('./run_hook.py', import.meta.url))
const python = spawnSync('python3', ['-c', 'pass']).status === 0
const rollouts = readSample('clean-qwen2.5').slice(0, 32).map(rolloutOf)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dump-hook-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

interface Rollout {
  ids: readonly number[]
  prompt: number
  mask: readonly number[]
  sampler: readonly (number | null)[]
  trainer: readonly (number | null)[]
  reward: number
  advantage: number
}

/** Without the padding, which each trainer adds in its own way. */
function rolloutOf(record: SampleRecord): Rollout {
  const length = record.attention_mask.lastIndexOf(1) + 1
  const real = <T>(values: readonly T[]) => values.slice(0, length)
  const zeros = (values: readonly (number | null)[]) => real(values).map((value) => value ?? 0)
  return {
    ids: real(record.input_ids),
    prompt: record.prompt_length,
    mask: real(record.loss_mask),
    sampler: zeros(record.logprobs.sampler),
    trainer: zeros(record.logprobs.trainer),
    reward: record.reward,
    advantage: record.advantage,
  }
}

/** What the hook wrote for these rollouts, by file, and what it said. */
function dump(kind: string, given: readonly (Omit<Rollout, 'reward'> & { reward?: number })[] = rollouts) {
  const input = join(folder, 'rollouts.json')
  writeFileSync(input, JSON.stringify(given))
  const output = join(folder, 'out')
  const run = spawnSync('python3', [RUNNER, kind, input, output], { encoding: 'utf8' })
  expect(run.status, run.stderr).toBe(0)
  const files = existsSync(output) ? readdirSync(output).sort() : []
  return { said: run.stderr, files: files.map((name) => ({ name, text: readFileSync(join(output, name), 'utf8') })) }
}

async function report(files: readonly { name: string; text: string }[]): Promise<Report> {
  const session = await audited(files.map(({ name, text }) => memorySource(text, 1 << 16, name)))
  return session.report()
}

const failing = ({ checks }: Report) =>
  checks.filter(({ status, severity }) => status === 'fail' && severity !== 'info')

describe.skipIf(!python)('the dump hook (needs python3)', () => {
  test.each([
    'trl',
    'verl',
  ])('%s: ids, masks, rewards and groups as the loss takes them, and nothing wrong', async (kind) => {
    const { files, said } = dump(kind)
    expect(said).toBe('')
    const records = files.flatMap(({ text }) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
    expect(records.map(({ input_ids }) => input_ids)).toEqual(rollouts.map(({ ids }) => ids))
    expect(records.map(({ loss_mask }) => loss_mask)).toEqual(rollouts.map(({ mask }) => mask))
    expect(records.map(({ prompt_length }) => prompt_length)).toEqual(rollouts.map(({ prompt }) => prompt))
    for (const [row, { reward, sampler, prompt }] of rollouts.entries()) {
      expect(records[row].reward).toBeCloseTo(reward, 9)
      expect(records[row].logprobs.sampler.slice(prompt)).toEqual(sampler.slice(prompt))
      expect(new Set(records[row].attention_mask)).toEqual(new Set([1]))
    }
    const judged = await report(files)
    expect(judged.sources[0]?.format?.id).toBe('native')
    expect(judged.sources[0]?.drift).toEqual([])
    expect(judged.totals).toMatchObject({ trajectories: 32, groups: 4 })
    expect(failing(judged)).toEqual([])
    expect(judged.hypotheses.find(({ id }) => id === 'H02')?.verdict).toBe('contradicted')
  })

  test('trl: processes write a file each, which make whole groups together', async () => {
    const { files } = dump('trl-ranks')
    expect(files.map(({ name }) => name)).toEqual(['rank_0.jsonl', 'rank_1.jsonl'])
    const judged = await report(files)
    expect(judged.totals).toMatchObject({ trajectories: 32, groups: 4 })
    expect(judged.checks.find(({ code }) => code === 'A01')?.status).toBe('pass')
    expect(failing(judged)).toEqual([])
  })

  test('trl: a row that no reward function scored has no reward', () => {
    const { reward: _, ...unscored } = rollouts[0] as Rollout
    const [file] = dump('trl', [unscored, ...rollouts.slice(1, 8)]).files
    const records = (file?.text ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(records[0]).not.toHaveProperty('reward')
    expect(records[0]).not.toHaveProperty('rewards')
    expect(records[1]).toMatchObject({ reward: rollouts[1]?.reward, rewards: { answer: rollouts[1]?.reward } })
  })

  test('trl: where functions are normalised one by one only their parts are written', () => {
    const [file] = dump('trl-parts', rollouts.slice(0, 8)).files
    const [first] = (file?.text ?? '').split('\n')
    expect(JSON.parse(first as string)).toMatchObject({ rewards: { answer: rollouts[0]?.reward } })
    expect(JSON.parse(first as string)).not.toHaveProperty('reward')
  })

  test.each(['trl', 'verl'])('%s: a tool mask that lets everything through is seen', async (kind) => {
    const faulty = rollouts.map((rollout) => ({
      ...rollout,
      mask: rollout.mask.map((trained, at) => (at < rollout.prompt ? trained : 1)),
    }))
    const judged = await report(dump(kind, faulty).files)
    expect(judged.checks.find(({ code }) => code === 'M05')).toMatchObject({ status: 'fail', pattern: 'systematic' })
    expect(judged.hypotheses.find(({ id }) => id === 'H02')?.verdict).toBe('supported')
  })

  test('verifiers: the attention mask that the trainer made of the loss mask is in the dump, for all rollouts', async () => {
    const judged = await report(dump('verifiers').files)
    expect(judged.totals).toMatchObject({ trajectories: 32, groups: 4 })
    expect(judged.checks.find(({ code }) => code === 'M15')).toMatchObject({ affected: 32, pattern: 'systematic' })
    expect(judged.defects.map(({ id }) => id)).toContain('V1')
  })

  test('a batch that cannot be written is told once, and training goes on', () => {
    const { said, files } = dump('broken')
    expect(said).toContain('rollout_dump: batch 1 was not written')
    expect(said).toContain('prompt_mask')
    expect(files).toEqual([])
  })
})
