import { expect, it } from 'vitest'
import { audit, faultsOf } from '../planted/audit.ts'
import { cleanDump } from '../planted/dump.ts'
import { type PlantedRollout, turnsBy } from '../planted/rollout.ts'
import { native } from '../planted/writers/native.ts'

/** Mask and logprobs of turns go on behind their ends, as where a text was encoded again into fewer tokens than were sampled. */
function slip(rollout: PlantedRollout, by: (turn: number) => number, isScored: boolean): void {
  for (const [index, { endToken }] of turnsBy(rollout, 'assistant').slice(0, -1).entries()) {
    for (const token of rollout.tokens.slice(endToken + 1, endToken + 1 + by(index))) {
      token.trained = true
      if (isScored) token.sampler = token.trainer = -0.25
    }
  }
}

const told = async (by: (turn: number) => number, isScored = true) => {
  const dump = await cleanDump('slipped ends', 'qwen2.5', {
    groups: 3,
    finish: (rollout) => slip(rollout, by, isScored),
  })
  const several = dump.rollouts.filter((rollout) => turnsBy(rollout, 'assistant').length > 2).length
  const audited = await audit(dump, native)
  const faults = faultsOf(audited).filter(({ severity }) => severity !== 'info')
  const codes = [...new Set(faults.map(({ code }) => code))]
  return { several, codes, result: audited.report.checks.find(({ code }) => code === 'T03'), faults }
}

it('logprobs behind the ends of some turns are T03, and no newline that the model wrote', async () => {
  const { several, codes, result, faults } = await told((turn) => (turn === 0 ? 1 : 0))
  expect(several).toBeGreaterThan(0)
  expect(result).toMatchObject({ status: 'fail', affected: several })
  expect(codes).not.toContain('M11')
  expect(faults.find(({ code }) => code === 'T03')).toMatchObject({
    severity: 'error',
    message: expect.stringContaining('behind the end of assistant turn 1, and end with turn 2'),
  })
})

it('and where they go on into the header of the next turn', async () => {
  const { several, result } = await told((turn) => (turn === 0 ? 1 : 2))
  expect(result).toMatchObject({ status: 'fail', affected: several })
})

it('are left open where all turns go on alike, as those of a model that nothing stops at its end', async () => {
  const { codes, result } = await told(() => 1)
  expect(codes).toEqual([])
  expect(result).toMatchObject({ status: 'not-checkable', reason: expect.stringContaining('writes on') })
})

it('newlines that are trained and have no logprobs are M11 alone', async () => {
  const { codes, result } = await told((turn) => (turn === 0 ? 1 : 0), false)
  expect(codes).toEqual(['M11'])
  expect(result).toMatchObject({ affected: 0 })
})
