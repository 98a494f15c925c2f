import { expect, it } from 'vitest'
import { NO_INTEGER } from '../../shared/formats/sequence.ts'
import { memorySource } from '../containers/memory-source.ts'
import { readSource } from './read-source.ts'

/** The versions of a sample of two prompt tokens whose response has this mask; `-` where none is known of a token. */
async function versionsOf(loss_mask: readonly number[], weight_versions: readonly string[]) {
  const tokens = [1, 2, ...loss_mask.map((_, at) => at + 3)]
  const sample = {
    tokens,
    response_length: loss_mask.length,
    loss_mask,
    weight_versions,
    status: 'completed',
    reward: 1,
  }
  const { trajectories } = await readSource(memorySource(new TextEncoder().encode(`${JSON.stringify(sample)}\n`)))
  const { versions } = trajectories[0]!
  return versions === null ? null : [...versions].map((each) => (each === NO_INTEGER ? '-' : each)).join('')
}

it('versions are those of the runs of trained tokens, where each call wrote one', async () => {
  expect(await versionsOf([1, 1, 0, 1], ['3', '4'])).toBe('--33-4')
  expect(await versionsOf([1, 1, 0, 1], ['3', '4', '4'])).toBeNull()
})

it('where what the first call wrote is left out of the loss, runs are not those of the calls', async () => {
  // Two calls of version 3, the latter of which was resumed under 4 and went on to a third turn: the list has as many versions as there are runs.
  expect(await versionsOf([0, 0, 0, 1, 0, 1], ['3', '4'])).toBeNull()
  // One version throughout is that of every token, whatever is left out.
  expect(await versionsOf([0, 0, 0, 1, 0, 1], ['4', '4'])).toBe('-----4-4')
})
