import { describe, expect, it } from 'vitest'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

/** Groups of four rollouts with these dates in their prompts, in order. */
const say = (groups: readonly (readonly string[])[]) => {
  const dates = groups.flatMap((members, group) => members.map((promptDate) => ({ promptDate, group: `g${group}` })))
  const { findings } = runOver('T14', dumpOf(dates.map((more, record) => factsOf(record, more))))
  return findings.map(({ severity, message }) => `${severity}: ${message}`)
}
const all = (date: string) => Array<string>(4).fill(date)
const [DAY, NEXT] = ['28 Feb 2025', '01 Mar 2025']

describe('a run that went on past midnight', () => {
  const told = (later: number, earlier: number) => [
    `info: ${later} rollouts have the date "${NEXT}" where ${earlier} have "${DAY}": a day apart, as where a run goes on past midnight`,
  ]

  it('is a note where each group has one day, in whichever order they stand', () => {
    expect(say([all(DAY), all(DAY), all(NEXT)])).toEqual(told(4, 8))
    expect(say([all(DAY), all(NEXT), all(DAY), all(DAY)])).toEqual(told(4, 12))
  })

  it('is a note where midnight fell into a group', () => {
    expect(say([all(DAY), [DAY, DAY, NEXT, NEXT]])).toEqual(told(2, 6))
  })

  it('is one by dates of numbers as well', () => {
    expect(say([all('2024-12-31'), all('2024-12-31'), all('2025-01-01')])).toEqual([expect.stringMatching(/^info/)])
  })
})

it.each([
  ['rollouts of some groups are a day off', [[DAY, DAY, DAY, NEXT], all(DAY), [DAY, DAY, DAY, NEXT]]],
  ['a group goes back to the day before', [all(DAY), [NEXT, NEXT, DAY, DAY]]],
  ['the days are further apart', [all(DAY), all(DAY), all('02 Mar 2025')]],
  ['they are those of two years', [all(DAY), all(DAY), all('01 Mar 2026')]],
  ['one is the date that the template has when none is given', [all(DAY), all(DAY), all('26 Jul 2024')]],
  ['there are three', [all(DAY), all(NEXT), all('02 Mar 2025'), all('02 Mar 2025')]],
  [
    'they are written so that no day can be read',
    [all('28. Februar 2025'), all('28. Februar 2025'), all('1. März 2025')],
  ],
])('dates are told of as ever where %s', (_, groups) => {
  const found = say(groups)
  expect(found.length).toBeGreaterThan(0)
  expect(found.every((each) => each.startsWith('warning'))).toBe(true)
})
