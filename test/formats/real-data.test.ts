import { describe, expect, test } from 'vitest'
import { fileSource, realData } from '../helpers/real-data.ts'
import { type ReadSource, readSource, streamsIn } from './read-source.ts'

/** Published dumps of other projects; where the folder with them is missing, each is counted as skipped. */
interface Known {
  readonly name: string
  readonly format: string
  readonly records: number
  readonly trajectories: number
  readonly streams: string
  readonly also?: (read: ReadSource) => void
}

const TEXT = 'answer environment group messages reward tools'

const files: readonly Known[] = [
  {
    name: 'atropos/rubiks_process_results_32.jsonl',
    format: 'atropos',
    records: 6,
    trajectories: 24,
    streams: 'group groupSize ids mask messages reward',
    also({ trajectories, drift }) {
      const trained = trajectories.map(({ mask }) => mask?.reduce((sum, value) => sum + (value === 1 ? 1 : 0), 0))
      expect(trained.filter((count) => count === 4)).toHaveLength(12)
      expect(trained.filter((count) => count === 157 || count === 159)).toHaveLength(12)
      expect(trajectories.every(({ groupSize }) => groupSize === 4)).toBe(true)
      expect(Object.keys(drift).sort()).toEqual(['parsed_actions', 'seed', 'token_scores', 'token_weights'])
    },
  },
  {
    name: 'nemo-gym/competitive_coding_challenges.example_rollouts.jsonl',
    format: 'nemo-gym',
    records: 5,
    trajectories: 5,
    streams: 'group ids logprobs.sampler messages model promptLength reward rolloutId sampled',
    also({ trajectories }) {
      const sampled = trajectories.map((trajectory) => trajectory.sampled?.reduce((sum, value) => sum + value, 0) ?? 0)
      expect(Math.min(...sampled)).toBe(785)
      expect(Math.max(...sampled)).toBe(1277)
      const scored = trajectories.flatMap(({ logprobs }) =>
        Array.from(logprobs.sampler ?? []).filter((value) => !Number.isNaN(value)),
      )
      expect(scored).toHaveLength(sampled.reduce((sum, count) => sum + count, 0))
      expect(scored.filter((value) => value === 0).length / scored.length).toBeGreaterThan(0.15)
    },
  },
  {
    name: 'nemo-gym/round_trip_test_data.json',
    format: 'nemo-gym',
    records: 1,
    trajectories: 2,
    streams: 'branch ids logprobs.sampler model promptLength rolloutId sampled tools',
    also({ trajectories }) {
      const [first, second] = trajectories
      expect([first?.ids?.length, second?.ids?.length]).toEqual([3088 + 495, 3637 + 207])
      const parts = first?.ids?.findIndex((id, i) => id !== second?.ids?.[i])
      expect(parts).toBe(3089)
      expect(first?.issues).toEqual([])
      expect(second?.issues).toMatchObject([
        { code: 'prefix-broken', message: expect.stringContaining('up to token 3089') },
      ])
    },
  },
  {
    name: 'nemo-gym/tau2.example_rollouts.jsonl',
    format: 'nemo-gym',
    records: 5,
    trajectories: 5,
    streams: 'group messages reward rolloutId tools',
  },
  {
    name: 'nemo-gym/example_multi_step.example_rollouts.jsonl',
    format: 'nemo-gym',
    records: 5,
    trajectories: 5,
    streams: 'isTruncated messages model reward rolloutId temperature tools',
  },
  {
    name: 'nemo-gym/hermes_agent.example_math_rollouts.jsonl',
    format: 'nemo-gym',
    records: 5,
    trajectories: 5,
    streams: 'answer group messages model reward rolloutId',
  },
  {
    name: 'nemo-rl/test_nemo_gym_sanity.json',
    format: 'nemo-rl',
    records: 1,
    trajectories: 2,
    streams: 'ids promptLength sampled',
    also({ trajectories }) {
      expect(trajectories.map(({ ids }) => ids?.length)).toEqual([3080, 3048])
    },
  },
  {
    name: 'verifiers/tool-test--gpt-4.1-mini__5cde0948.results.jsonl',
    format: 'verifiers-results',
    records: 15,
    trajectories: 15,
    streams: 'environment group messages reward tools',
  },
  {
    name: 'verifiers/wiki-search--qwen--qwen3-4b-instruct-2507__e762fd98.results.jsonl',
    format: 'verifiers-results',
    records: 100,
    trajectories: 100,
    streams: TEXT,
  },
  {
    name: 'verifiers/wiki-search--willcb--qwen3-4b-wiki-search__094df25d.results.jsonl',
    format: 'verifiers-results',
    records: 100,
    trajectories: 100,
    streams: TEXT,
    also({ trajectories }) {
      const calls = trajectories.flatMap(({ messages }) => messages ?? []).flatMap(({ toolCalls }) => toolCalls ?? [])
      expect(calls).toHaveLength(388)
      expect(new Set(calls.map(({ name }) => name))).toEqual(new Set(['search_pages', 'view_sections', 'read_section']))
    },
  },
]

describe('published dumps are recognised and read whole', () => {
  for (const { name, format, records, trajectories, streams, also } of files) {
    const path = realData(name)
    test.skipIf(path === null)(name, async () => {
      const read = await readSource(fileSource(path as string))
      expect(read.format).toBe(format)
      expect(read.records).toBe(records)
      expect(read.trajectories).toHaveLength(trajectories)
      expect(read.skipped).toEqual([])
      const issues = read.trajectories.flatMap((each) => each.issues)
      expect(issues.filter(({ code }) => code !== 'prefix-broken')).toEqual([])
      expect(streamsIn(read.trajectories).join(' ')).toBe(streams)
      also?.(read)
    })
  }
})
