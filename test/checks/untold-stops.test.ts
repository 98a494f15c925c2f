import { expect, it } from 'vitest'
import { audit, faultsOf } from '../planted/audit.ts'
import { cleanDump } from '../planted/dump.ts'
import { turnsBy } from '../planted/rollout.ts'
import { native } from '../planted/writers/native.ts'

/** Of 24 rollouts some lack the end of their last turn, and as many tokens before it as `short` says, under a good finish reason. */
const c05 = async (isOpen: (index: number) => boolean, short: (index: number) => number) => {
  let index = 0
  const dump = await cleanDump('open stops', 'qwen2.5', {
    groups: 3,
    limits: false,
    finish: (rollout) => {
      const at = index++
      if (isOpen(at)) rollout.tokens.splice(turnsBy(rollout, 'assistant').at(-1)!.endToken - short(at))
    },
  })
  const audited = await audit(dump, native)
  expect(faultsOf(audited).filter(({ code }) => code === 'C05')).toEqual([])
  return audited.report.checks.find(({ code }) => code === 'C05')
}

it('rows that stop without an end token and do not end alike pass nothing, where the others have one', async () => {
  const result = await c05(
    (index) => index % 4 === 0,
    (index) => 2 + (index % 5),
  )
  expect(result).toMatchObject({ status: 'not-checkable', reason: expect.stringContaining('6 of 24 rollouts') })
})

it('those that all end in the same word ended on a string', async () => {
  const result = await c05(
    (index) => index % 4 === 0,
    () => 0,
  )
  expect(result).toMatchObject({ status: 'pass' })
})
