import { describe, expect, it } from 'vitest'
import { formatById } from '../../shared/formats/registry.ts'
import { keysOf, ranksOf } from '../../shared/session/opening/group-options.ts'

const source = (name: string, format: string) => ({ name, format: formatById(format) })

describe('where the key of a group counts', () => {
  it('is a folder, where each rollout has a file of its own', () => {
    const episodes = ['a/episode_000000_q.json', 'a/episode_000001_q.json', 'b/episode_000000_q.json']
    expect(keysOf(episodes.map((name) => source(name, 'rllm-eval')))).toEqual([0, 0, 2])
    expect(keysOf(episodes.map((name) => source(name, 'rllm')))).toEqual([0, 0, 2])
    expect(keysOf([source('a.json', 'rllm-eval'), source('b.json', 'rllm-eval')])).toEqual([0, 0])
  })

  it('is the file elsewhere, also beside files of one rollout each', () => {
    expect(keysOf(['a/1.jsonl', 'a/2.jsonl'].map((name) => source(name, 'native')))).toEqual([0, 1])
    const mixed = [source('a/1.jsonl', 'native'), source('a/2.json', 'rllm'), source('a/3.json', 'rllm-eval')]
    expect(keysOf([...mixed, source('a/4.json', 'rllm')])).toEqual([0, 1, 2, 1])
    expect(keysOf([{ name: 'a/1', format: null }])).toEqual([0])
  })
})

it('knows the files that ranks of one run wrote by their names', () => {
  const names = [
    'a/rank_0.jsonl',
    'a/rank_1.jsonl',
    'b/rank_0.jsonl',
    'a/step_1.jsonl',
    'a/frank1.jsonl',
    'rank_0/a.jsonl',
  ]
  expect(ranksOf(names.map((name) => source(name, 'native')))).toEqual([0, 0, 2, 3, 4, 5])
  const steps = ['s1-rank0.jsonl', 's2-rank0.jsonl', 's1-rank1.jsonl', 's1-rank2.jsonl.gz']
  expect(ranksOf(steps.map((name) => source(name, 'native')))).toEqual([0, 1, 0, 3])
  expect(ranksOf([source('rank_0.jsonl', 'native'), source('rank_1.jsonl', 'slime')])).toEqual([0, 1])
})

it('knows the parts of one dump by their names', () => {
  const of = (...names: string[]) => ranksOf(names.map((name) => source(name, 'native')))
  expect(of('a/part-0.jsonl', 'a/part-1.jsonl', 'b/part-1.jsonl', 'a/depart-2.jsonl')).toEqual([0, 0, 2, 3])
  expect(of('train-00000-of-00002.parquet', 'train-00001-of-00002.parquet', 'test-00001-of-00002.parquet')).toEqual([
    0, 0, 2,
  ])
  expect(of('s1-shard0.jsonl', 's1-shard1.jsonl', 's2-shard0.jsonl', '2024-01-02.jsonl')).toEqual([0, 0, 2, 3])
})
