import { expect, test } from 'vitest'
import { noneFits } from '../../renderer/views/rollouts/none-fits.ts'

const some = { reading: { done: 98, of: 2400 } }
const all = { reading: null }

test.each([
  ['while rollouts are looked into', some, true, false, 'None so far: looked into 98 of 2,400 rollouts.'],
  ['after that was stopped', some, false, false, 'Stopped after 98 of 2,400 rollouts: none of these fits.'],
  ['stopped at once', null, false, false, 'Stopped before a rollout was looked into.'],
  ['at the end', all, false, false, 'No rollout fits the query.'],
  ['while the file is read', all, false, true, 'No rollout fits the query so far.'],
] as const)('that none fits is said of what was looked into: %s', (_, answer, isSearching, isReading, words) => {
  expect(noneFits(answer, isSearching, isReading)).toBe(words)
})
