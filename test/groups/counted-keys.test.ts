import { expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { buildGroups } from '../../shared/checks/grouping/group-views.ts'
import { biasedStd, mean } from '../../shared/checks/groups/statistics.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

const SIZE = 4
/** Of six prompts, with different rates. */
const REWARDS = [
  [1, 0, 0, 0],
  [1, 1, 0, 0],
  [1, 1, 1, 0],
  [0, 0, 1, 0],
  [1, 0, 1, 0],
  [0, 1, 1, 1],
] as const
/** Rollouts that a limit cut. */
const DROPPED = new Set([3, 8, 13, 22])

interface Rollout {
  readonly prompt: number
  readonly reward: number
  advantage: number
}

function normalise(rows: readonly Rollout[], eps = 1e-8): void {
  const rewards = rows.map(({ reward }) => reward)
  const [middle, std] = [mean(rewards), biasedStd(rewards)]
  for (const row of rows) row.advantage = (row.reward - middle) / (std + eps)
}

function windows(rows: readonly Rollout[]): Rollout[][] {
  return Array.from({ length: Math.ceil(rows.length / SIZE) }, (_, i) => rows.slice(i * SIZE, (i + 1) * SIZE))
}

/** What is left behind the filter, with keys that were counted off over it. */
function stored(normalised: 'before the filter' | 'behind the filter', more: Partial<TrajectoryFacts> = {}) {
  const all: Rollout[] = REWARDS.flatMap((rewards, prompt) =>
    rewards.map((reward) => ({ prompt, reward, advantage: 0 })),
  )
  if (normalised === 'before the filter') for (const rows of windows(all)) normalise(rows)
  const left = all.filter((_, i) => !DROPPED.has(i))
  if (normalised === 'behind the filter') for (const rows of windows(left)) normalise(rows)
  return left.map(({ prompt, reward, advantage }, i) =>
    factsOf(i, { group: `7/${Math.floor(i / SIZE)}`, step: 7, promptHash: `p${prompt}`, reward, advantage, ...more }),
  )
}

const groupsOf = (facts: readonly TrajectoryFacts[]) =>
  buildGroups(facts, { groupSize: null, groupsByOrder: false }).map(({ id, members, complete }) => ({
    id,
    prompts: [...new Set(members.map(({ promptHash }) => promptHash))],
    rollouts: members.length,
    complete,
  }))

it('keys that were counted off behind a filter are those of no groups where advantages are of prompts', () => {
  const facts = stored('before the filter')
  expect(groupsOf(facts)).toEqual([
    { id: '7/0', prompts: ['p0'], rollouts: 3, complete: false },
    { id: '7/1', prompts: ['p1'], rollouts: 4, complete: true },
    { id: '7/2', prompts: ['p2'], rollouts: 3, complete: false },
    { id: '7/2 (prompt 2)', prompts: ['p3'], rollouts: 3, complete: false },
    { id: '7/3', prompts: ['p4'], rollouts: 4, complete: true },
    { id: '7/4', prompts: ['p5'], rollouts: 3, complete: false },
  ])
  expect(runOver('A05', dumpOf(facts)).findings).toEqual([])
})

it('where the rows of a key were compared, they are the group, and mixed', () => {
  const facts = stored('behind the filter')
  expect(groupsOf(facts)).toMatchObject([0, 1, 2, 3, 4].map((key) => ({ id: `7/${key}`, rollouts: 4 })))
  expect(runOver('A05', dumpOf(facts)).findings.length).toBeGreaterThan(2)
})

it.each([
  ['no advantages', { advantage: null }],
  ['one advantage for all', { advantage: 0.5 }],
  ['no prompts', { promptHash: null }],
] as [string, Partial<TrajectoryFacts>][])('nothing tells with %s', (_name, more) => {
  expect(groupsOf(stored('before the filter', more)).map(({ id }) => id)).toEqual(['7/0', '7/1', '7/2', '7/3', '7/4'])
})

it('variants of a prompt that are more than a group have keys of their own', () => {
  const facts = stored('before the filter').map((row) => ({ ...row, promptHash: 'p' }))
  expect(groupsOf(facts)).toHaveLength(5)
})
