import { describe, expect, it } from 'vitest'
import { unbiasedStd } from '../../shared/checks/groups/statistics.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
import { verdictOf } from './input.ts'

/** Eight rewards around 0 whose unbiased std is 1. */
const UNIT = (() => {
  const values = [-1.7, -1.1, -0.6, -0.2, 0.2, 0.6, 1.1, 1.7]
  const std = unbiasedStd(values)
  return values.map((value) => value / std)
})()

/** Groups of eight of this std around 0.5, but for `ends` at either end of a range of 0 to 1. */
function withEnds(std: number, ends: number, groups = 20) {
  const reach = std * (UNIT.at(-1) as number)
  const centre = (group: number) => (group < ends ? reach : group < 2 * ends ? 1 - reach : 0.5)
  const rewards = Array.from({ length: groups }, (_, group) => UNIT.map((value) => centre(group) + std * value))
  return dumpOf(groupFacts(rewards), { options: { scaleRewards: 'group' } })
}

const measuresOf = (id: 'H01' | 'H05', dump: ReturnType<typeof withEnds>) => {
  const { verdict, because } = verdictOf(id, dump)
  return {
    verdict,
    measures: because.map(({ measure, value, speaks }) => [
      measure,
      typeof value === 'number' ? Math.round(100 * value) / 100 : value,
      speaks,
    ]),
  }
}

const BELOW = 'share of complete groups with a reward std below the noise floor, amplified 10 times or more'
const WITHIN = 'mean reward std within groups, as a share of the reward range'
const WHOLE = ', by the whole range of rewards, the few at its ends with it'

describe('rewards of which a few lie far from all others', () => {
  it('leave H01 open where they alone make a spread noise, and it says what the range is', () => {
    const { verdict, measures } = measuresOf('H01', withEnds(0.045, 1))
    expect(verdict).toBe('inconclusive')
    expect(measures).toContainEqual([BELOW, 0, 'against'])
    expect(measures).toContainEqual([`${BELOW}${WHOLE}`, 1, 'for'])
    expect(measures).toContainEqual([
      'reward range that groups are held against',
      expect.stringMatching(/^0 to 1 in 20 groups, taken as 0\.7\d+ wide for the few at its ends$/),
      undefined,
    ])
  })

  it('leave H05 open where they alone make the spread a small share of the range', () => {
    const { verdict, measures } = measuresOf('H05', withEnds(0.098, 2, 100))
    expect(verdict).toBe('inconclusive')
    expect(measures).toContainEqual([WITHIN, expect.closeTo(0.15, 1), 'against'])
    expect(measures).toContainEqual([`${WITHIN}${WHOLE}`, 0.1, 'for'])
  })

  it.each([
    ['H01', 0.045, 3, 20, 'supported'],
    ['H01', 0.06, 1, 20, 'contradicted'],
    ['H05', 0.103, 2, 100, 'contradicted'],
    ['H05', 0.02, 2, 100, 'supported'],
  ] as const)('decide nothing of %s where both ranges agree: std %d, %i groups at each end of %i', (id, std, ends, groups, verdict) => {
    const found = measuresOf(id, withEnds(std, ends, groups))
    expect(found.verdict).toBe(verdict)
    expect(found.measures.join()).not.toContain(WHOLE)
  })
})
