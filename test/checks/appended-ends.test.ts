import { describe, expect, it } from 'vitest'
import { ofMaskedEnds, resultOfMaskedEnds } from './masked-ends.ts'

const turnsOf = async (...given: Parameters<typeof ofMaskedEnds>) =>
  (await ofMaskedEnds(...given)).map(({ turn }) => turn)

describe('ends without loss whose logprob is 0.0', () => {
  it('were appended where the trainer is less certain of them than of any 0.0 in the loss', async () => {
    expect(await turnsOf({ trainer: [-0.3, -0.01] })).toEqual([])
    expect(await turnsOf({ trainer: [-0.3, -0.06], least: -0.05 })).toEqual([])
  })

  it('may be the model’s where it is as certain of them, each by itself', async () => {
    expect(await turnsOf({ trainer: [-0.0001, -0.0001] })).toEqual([2, 4])
    expect(await turnsOf({ trainer: [-0.04, -0.3], least: -0.05 })).toEqual([2])
  })

  it('may be where few others are 0.0, and where an end without loss has a logprob', async () => {
    expect(await turnsOf({ trainer: [-0.3, -0.3], every: 7 })).toEqual([2, 4])
    expect(await turnsOf({ sampler: [-0.2, 0], trainer: [-0.2, -0.3] })).toEqual([2, 4])
  })

  it('are told apart in a format that fills up with 0.0 as well, beside an end that the model wrote', async () => {
    const format = { unsampledLogprob: 0 }
    const beside = { sampler: [0, -0.1], trainsSecond: true } as const
    expect(await turnsOf({ ...beside, trainer: [-0.3, -0.1] }, format)).toEqual([])
    expect(await turnsOf({ ...beside, trainer: [-0.0001, -0.1] }, format)).toEqual([2])
    expect(await turnsOf({ ...beside, sampler: [-0.3, -0.1], trainer: [-0.3, -0.1] }, format)).toEqual([2])
  })
})

it('looks at an end in the loss, also where its 0.0 may say that nothing was sampled', async () => {
  const result = await resultOfMaskedEnds({ trainer: [-0.1, -0.1], trainsSecond: true }, { unsampledLogprob: 0 })
  expect(result.tally.checked).toBeGreaterThan(0)
  expect(result.findings).toEqual([])
})
