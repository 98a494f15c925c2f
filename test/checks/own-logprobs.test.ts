import { describe, expect, it } from 'vitest'
import { type Edit, findingsOf, search } from './findings-of.ts'

const rows = search({ answer: { train: { end: false } } })

/** Logprobs of a sampler that stand on the words of the model and on its ends, late by so many tokens; 0.0 or another number on all else. */
const scored =
  ({ late = 0, else: filler = 0, ofEnd = -0.2 } = {}): Edit =>
  (trajectory, { layout }) => {
    const sampler = new Float32Array(trajectory.ids!.length).fill(filler)
    for (const { contentStart, endToken } of [layout[2]!, layout[4]!])
      for (let i = contentStart; i <= endToken; i++)
        if (i + late < sampler.length) sampler[i + late] = i === endToken ? ofEnd : -0.3
    return { logprobs: { ...trajectory.logprobs, sampler } }
  }

const severities = async (edit: Edit) => (await findingsOf('M10', 'qwen2.5', rows, edit)).map((each) => each.severity)

describe('M10 of an end without loss, in a dump that fills up with 0.0', () => {
  it('is an error where the end has a logprob of its own', async () => {
    expect(await severities(scored())).toEqual(['error'])
  })

  it.each([
    ['where that end is 0.0 as what nobody sampled', scored({ ofEnd: 0 })],
    ['where everything is scored', scored({ else: -0.4 })],
    ['where the numbers lie one token late', scored({ late: 1, ofEnd: 0 })],
  ])('is a warning %s', async (_, edit) => {
    expect(await severities(edit)).toEqual(['warning'])
  })
})
