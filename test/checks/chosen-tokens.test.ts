import { describe, expect, it } from 'vitest'
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
