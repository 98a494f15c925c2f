import { expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { remedyOf } from '../../shared/hypotheses/remedies.ts'
import { pairedRun, pairing, second, verdict } from './beside.ts'

const cut = (i: number): Partial<TrajectoryFacts> => ({ endReason: i % 3 ? 'stop' : 'cut-prose' })

it.each<[what: string, more: (i: number) => Partial<TrajectoryFacts>]>([
  ['reward function', () => ({ reward: 0.8 })],
  ['limits of tokens and turns', cut],
  ['tools', (i) => ({ pairing: pairing(i, { tools: 'other' }) })],
  ['system text', () => ({ systemHash: 'other' })],
  ['chat template', (i) => ({ promptHash: `other${i}` })],
  ['tools and reward function', (i) => ({ pairing: pairing(i, { tools: 'other' }), reward: 0.8 })],
  [
    'tools, limits of tokens and turns and reward function',
    (i) => ({ ...cut(i), pairing: pairing(i, { tools: 'x' }), reward: 0 }),
  ],
])('two runs that differ in no more than that are to be given the same %s', (what, more) => {
  const run = pairedRun(() => ({ systemHash: 'one' }))
  const other = pairedRun((i) => ({ systemHash: 'one', ...more(i) }))
  expect(remedyOf(verdict('H08', run, second(other)))).toBe(
    `Give both runs the same ${what} before their rewards are compared.`,
  )
})
