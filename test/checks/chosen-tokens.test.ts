import { describe, expect, it } from 'vitest'
import type { RecordOptions } from '../helpers/conversation.ts'
import { findingsOf, search } from './findings-of.ts'

/** Turns whose end says M10 is not trained, where of the tokens before each end the mask trains those for which this holds, by their place from the end. */
async function notTrained(trains: (fromEnd: number) => boolean) {
  const long = 'The document says it, and so does the archive of the town. '.repeat(3)
  const rows = search({ call: { text: long }, answer: { text: long } })
  const found = await findingsOf('M10', 'qwen2.5', rows, ({ mask }, { layout }) => {
    const chosen = mask!.slice()
    for (const { role, contentStart, endToken } of layout) {
      if (role !== 'assistant') continue
      for (let at = contentStart; at <= endToken; at++) chosen[at] = trains(endToken - at) ? 1 : 0
    }
    return { mask: chosen }
  })
  return found.map(({ turn }) => turn)
}

describe('an end token without loss', () => {
  it('is not looked at where the mask chooses a few of the model’s tokens', async () => {
    expect(await notTrained((fromEnd) => fromEnd % 5 === 1)).toEqual([])
  })

  it('is a fault where the mask leaves a few out, or the first part of each turn', async () => {
    expect(await notTrained((fromEnd) => fromEnd % 10 > 0)).toEqual([2, 4])
    expect(await notTrained((fromEnd) => fromEnd > 0 && fromEnd < 6)).toEqual([2, 4])
  })
})

describe('an end token without loss behind words that have none either', () => {
  const long = 'The document says it, and so does the archive of the town. '.repeat(3)
  const rows = (more: RecordOptions = {}) => search({ call: { text: long }, answer: { text: long } }, more)

  /** What M10 says where so many tokens before each end are masked with it. */
  async function told(
    masked: number,
    more: RecordOptions,
    edit: (sampled: Uint8Array, end: number) => void = () => {},
  ) {
    const found = await findingsOf('M10', 'qwen2.5', rows(more), ({ mask, sampled }, { layout }) => {
      const [cut, flags] = [mask!.slice(), sampled?.slice() ?? null]
      for (const { role, endToken } of layout) {
        if (role !== 'assistant') continue
        cut.fill(0, endToken - masked, endToken + 1)
        if (flags !== null) edit(flags, endToken)
      }
      return { mask: cut, sampled: flags }
    })
    return found.map(({ message, severity }) => [severity, message.match(/nor are the (\d+) tokens/)?.[1]])
  }

  it('is a fault where the dump says that all of them were sampled', async () => {
    expect(await told(7, { sampled: true })).toEqual(Array(2).fill(['error', '7']))
    expect(await told(20, { sampled: true })).toEqual(Array(2).fill(['error', '20']))
    expect(await told(12, { logprobs: 'sampler' })).toEqual(Array(2).fill(['error', '12']))
  })

  it('is none where nothing says so, and where any of them was not', async () => {
    expect(await told(12, {})).toEqual([])
    expect(await told(12, { sampled: true }, (sampled, end) => sampled.fill(0, end - 2, end - 1))).toEqual([])
    expect(await told(12, { sampled: true }, (sampled, end) => sampled.fill(0, end, end + 1))).toEqual([])
  })
})
