import { expect, it } from 'vitest'
import { logprobFacts } from '../../shared/checks/logprobs/sums.ts'
import { viewOf } from './simulated.ts'

const SCORES = [-0.5, 0, -9999, -0.25]

/** The facts of a rollout of which these arrays alone are stored. */
function factsWith(stored: 'sampler' | 'trainer' | 'both' | 'none') {
  const view = viewOf({ sampler: SCORES, trainer: SCORES })
  const kept = (name: 'sampler' | 'trainer') =>
    stored === name || stored === 'both' ? view.trajectory.logprobs[name] : null
  const logprobs = { ...view.trajectory.logprobs, sampler: kept('sampler'), trainer: kept('trainer') }
  return logprobFacts({ ...view, trajectory: { ...view.trajectory, logprobs } })
}

it.each([
  'sampler',
  'trainer',
] as const)('sums the logprobs of the %s where they are the only ones, fillers left out', (name) => {
  expect(factsWith(name)).toEqual({ onlyLogprobs: { count: 3, sum: -0.75, values: 2 } })
})

it('keeps nothing where both are there, or none', () => {
  expect(factsWith('both').onlyLogprobs).toBeUndefined()
  expect(factsWith('none')).toEqual({})
})
