import { expect, it } from 'vitest'
import { gapOf } from '../../shared/checks/logprobs/gap.ts'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf } from '../helpers/facts.ts'
import { type Engines, factsFrom, rollouts } from './rollouts.ts'
import { viewOf } from './simulated.ts'

/** A mean gap of about 0.06. */
const OFF: Engines = { samplerNoise: 0.1, trainerNoise: 0.1, length: 80 }
const SOUND: Engines = { samplerNoise: 0.02, trainerNoise: 0.02, length: 80 }

/** Nearly that. */
const LESS: Engines = { samplerNoise: 0.075, trainerNoise: 0.075, length: 80 }

/** How many rollouts L01 names by themselves, and beside the others. */
function named(count: number, engines: Engines | ((record: number) => Engines)) {
  const scores = rollouts(count, engines)
  const alone = scores.filter((each) => gapOf(viewOf(each))?.cause === 'mismatch').length
  const { findings } = runOver('L01', dumpOf(factsFrom(scores)))
  return { alone, beside: findings.length, messages: findings.map(({ message }) => message) }
}

it('engines that differ do so in every rollout, though few prove it by themselves', () => {
  const { alone, beside, messages } = named(40, OFF)
  expect(alone).toBeLessThan(8)
  expect(alone + beside).toBe(40)
  expect(messages[0]).toMatch(/; too few to prove it by themselves, but all 40 rollouts together differ by 0\.05\d+$/)
})

it.each([
  ['engines that agree', 40, SOUND],
  ['a mean below the bound', 40, LESS],
  ['too few rollouts', 7, OFF],
  ['rollouts that agree beside others', 40, (record: number) => (record % 8 === 0 ? SOUND : OFF)],
  [
    'rollouts of another temperature beside others',
    40,
    (record: number) => (record % 2 === 0 ? { ...OFF, trainer: 0.4 } : OFF),
  ],
] as [string, number, Engines | ((record: number) => Engines)][])('not by %s', (_name, count, engines) => {
  expect(named(count, engines).messages.filter((message) => message.includes('together'))).toEqual([])
})
