import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unbiasedStd } from '../../shared/checks/groups/statistics.ts'
import { SAMPLES } from './inspector-page.ts'

interface StoredRollout {
  id: string
  group_id: string
  reward: number
  advantage: number
  rewards?: unknown
}

/** The clean sample with other rewards: what `rewardOf` gives for the group and the rollout, advantages divided by the std of the group. */
export function withRewards(rewardOf: (group: number, rollout: number) => number): string {
  const text = gunzipSync(readFileSync(join(SAMPLES, 'clean-qwen2.5.jsonl.gz'))).toString()
  const records = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredRollout)
  const ids = [...new Set(records.map(({ group_id }) => group_id))]
  for (const [at, id] of ids.entries()) {
    const members = records.filter(({ group_id }) => group_id === id)
    const rewards = members.map((_, rollout) => rewardOf(at, rollout))
    const mean = rewards.reduce((a, b) => a + b, 0) / rewards.length
    for (const [rollout, member] of members.entries()) {
      member.reward = rewards[rollout] as number
      member.advantage = (member.reward - mean) / (unbiasedStd(rewards) + 1e-4)
      delete member.rewards
    }
  }
  return records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

/** Seven of twelve groups never differ, two by a hundredth, three by whether the answer is right. */
export const FLAT = withRewards((group, rollout) => {
  if (group < 7) return group % 2
  if (group < 9) return rollout === 3 ? 0.61 : 0.6
  return rollout % 2
})
