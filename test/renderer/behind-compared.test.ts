import { expect, test } from 'vitest'
import { behindCompared } from '../../renderer/views/compare/behind-compared.ts'

test('a number of the open run beside another opens the rollouts that it is of, where something finds them', () => {
  const of = (id: string, here: number | string | null, codes: string[] = []) =>
    behindCompared({ id, here, codes })?.behind ?? null
  expect(of('checks.M15', 1, ['M15'])).toEqual({ codes: ['M15'] })
  expect(of('loss.part think', 0.78)).toEqual({ query: 'state:masked part:think' })
  expect(of('loss.part tool', 0)).toEqual({ query: 'state:masked part:tool' })
  expect(of('loss.turn 4', 0.2)).toEqual({
    query: 'state:trained assistant_turn:4 role:assistant -part:header,separator',
  })
  expect(of('ends.lost', 0.3)).toEqual({ where: { lostText: true } })
  expect(of('turns.several', 1)).toEqual({ query: 'assistant_turns>=2' })
  // Nothing is behind a zero, a mean over all rollouts, a word and what is not there.
  expect(of('checks.C05', 0, ['C05'])).toBeNull()
  expect(of('reward.mean', 0.7)).toBeNull()
  expect(of('verdicts.H02', 'supported')).toBeNull()
  expect(of('loss.part tool', null)).toBeNull()
})
