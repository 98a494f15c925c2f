import { describe, expect, it } from 'vitest'
import { tokenCount } from '../../shared/checks/oracles/edges.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'

describe('numbers in what a finding says', () => {
  const alike = (rollouts: number) =>
    runOver('A01', dumpOf(groupFacts([Array(rollouts).fill(0.5), [0, 1]]), { options: { groupSize: rollouts } }))
      .findings[0]

  it.each([
    [999, 'All 999 rollouts of group g0 have reward 0.5'],
    [12_345, 'All 12,345 rollouts of group g0 have reward 0.5'],
  ])('are told in thousands, as in reports and on screens: %d rollouts', (rollouts, message) => {
    expect(alike(rollouts)?.message).toBe(message)
  })

  it.each([
    [1, '1 token'],
    [999, '999 tokens'],
    [245_017, '245,017 tokens'],
  ])('are told in thousands: %d of tokens', (tokens, text) => {
    expect(tokenCount(tokens)).toBe(text)
  })
})
