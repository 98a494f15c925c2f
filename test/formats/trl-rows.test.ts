import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { isAboutArrays } from '../../shared/checks/layout/unfit-arrays.ts'
import { memorySource } from '../containers/memory-source.ts'
import { FIXTURES } from './fixture-files.ts'
import { readSource } from './read-source.ts'

const read = (name: string) => readSource(memorySource(new Uint8Array(readFileSync(new URL(name, FIXTURES)))))

it('columns of messages are conversations, and rows of one prompt in one step a group', async () => {
  const { trajectories, drift } = await read('trl/2026-08/conversations.jsonl')
  expect(drift).toEqual({})
  const [called, short, other, later, mixed] = trajectories
  expect(called?.messages?.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant'])
  expect(called?.messages?.some(({ flattened }) => flattened)).toBe(false)
  expect(short?.group).toBe(called?.group)
  expect(new Set([called?.group, other?.group, later?.group]).size).toBe(3)
  // Of a text beside messages nothing is made but an issue.
  expect(mixed?.issues.map(({ field }) => field)).toContain('completion')
})

it('rows of a batch of TRL are grouped by their prompt, however it is padded, where their step is known', async () => {
  const { trajectories } = await read('native/1/trl-batch.jsonl')
  const [first, other, again, later, padded, unknown] = trajectories
  expect(first?.group).not.toBeNull()
  expect(again?.group).toBe(first?.group)
  expect(padded?.group).toBe(later?.group)
  expect(new Set([first, other, later].map((row) => row?.group)).size).toBe(3)
  expect(unknown?.group).toBeNull()
  expect(first?.messages?.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(unknown?.messages).toBeNull()
})

it('of a sample of AsyncGRPO that holds other values than it should, only arrays are a matter of arrays', async () => {
  const { trajectories, drift } = await read('trl-async/2026-03/samples.jsonl')
  expect(drift).toEqual({ reward_model: 1 })
  const issues = trajectories.flatMap((trajectory) => trajectory.issues)
  expect(issues.map(({ field }) => field)).toEqual(['old_log_probs', 'prompt', 'model_version', 'metrics'])
  expect(issues.filter(isAboutArrays).map(({ field }) => field)).toEqual(['old_log_probs'])
})
