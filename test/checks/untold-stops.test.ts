import { expect, it } from 'vitest'
import { audit, faultsOf } from '../planted/audit.ts'
import { cleanDump } from '../planted/dump.ts'
import { turnsBy } from '../planted/rollout.ts'
import { native } from '../planted/writers/native.ts'

/**
 * What C05 and C03 say of 24 rollouts of which some lack the end of their last turn, and as many tokens before it as `short` says, under a good finish
 * reason.
 */
const resultsOf = async (
  isOpen: (index: number) => boolean,
  short: (index: number) => number,
  rewardOfOpen: number | null = null,
) => {
  let index = 0
  const dump = await cleanDump('open stops', 'qwen2.5', {
    groups: 3,
    limits: false,
    finish: (rollout) => {
      const at = index++
      if (!isOpen(at)) return
      rollout.tokens.splice(turnsBy(rollout, 'assistant').at(-1)!.endToken - short(at))
      if (rewardOfOpen !== null) rollout.reward = rewardOfOpen
    },
  })
  const audited = await audit(dump, native)
  expect(faultsOf(audited).filter(({ code }) => code === 'C05' || code === 'C03')).toEqual([])
  return ['C05', 'C03'].map((code) => audited.report.checks.find((check) => check.code === code))
}

it('rows that stop without an end token and do not end alike pass nothing, where the others have one', async () => {
  const results = await resultsOf(
    (index) => index % 4 === 0,
    (index) => 2 + (index % 5),
    1,
  )
  const untold = { status: 'not-checkable', reason: expect.stringContaining('6 of 24 rollouts') }
  expect(results).toMatchObject([untold, untold])
})

it('where none of them is rewarded, no cut row was rewarded, whether or not they were cut', async () => {
  const results = await resultsOf(
    (index) => index % 4 === 0,
    (index) => 2 + (index % 5),
    0,
  )
  expect(results).toMatchObject([{ status: 'not-checkable' }, { status: 'pass' }])
})

it('those that all end in the same word ended on a string', async () => {
  const results = await resultsOf(
    (index) => index % 4 === 0,
    () => 0,
    1,
  )
  expect(results).toMatchObject([{ status: 'pass' }, { status: 'pass' }])
})
