import { describe, expect, it } from 'vitest'
import type { BundledTokenizerId, Tokenizer } from '../../shared/tokens/tokenizer.ts'
import { resultOf, search } from './findings-of.ts'

/** Codes of M01, M08 and M17 and the tokens that they name, from the start of the reply that the row is cut in, behind so many of its tokens. */
async function named(family: BundledTokenizerId, kept: number, trained: number) {
  let start = 0
  const rows = (tokenizer: Tokenizer) =>
    search()(tokenizer).map((row) => {
      start = row.layout[3]!.start
      const end = start + kept
      const input_ids = row.record.input_ids.slice(0, end)
      const loss_mask = row.record.loss_mask!.slice(0, end).fill(1, end - trained)
      return { ...row, record: { ...row.record, input_ids, loss_mask } }
    })
  const found = []
  for (const code of ['M01', 'M08', 'M17']) {
    const { findings } = await resultOf(code, family, rows)
    for (const { tokens } of findings) found.push([code, ...tokens!.map((token) => token - start)])
  }
  return found
}

describe('a row that is cut within the header of a reply', () => {
  it('is M17 where its last token alone carries loss, and no header that is trained', async () => {
    expect(await named('llama3', 4, 1)).toEqual([['M17', 3, 4]])
    expect(await named('qwen2.5', 3, 1)).toEqual([['M17', 2, 3]])
    expect(await named('qwen2.5', 2, 1)).toEqual([['M17', 1, 2]])
  })

  it('has a header that is trained where more than that is, or what the loss runs over into', async () => {
    expect(await named('llama3', 4, 2)).toEqual([['M08', 2, 4]])
    expect(await named('qwen2.5', 3, 3)).toEqual([['M08', 0, 3]])
    expect((await named('qwen2.5', 1, 1)).filter(([code]) => code === 'M17')).toEqual([])
  })

  it('is right where nothing of it is', async () => {
    expect(await named('llama3', 4, 0)).toEqual([])
    expect(await named('qwen2.5', 3, 0)).toEqual([])
  })
})
