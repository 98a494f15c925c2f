import { describe, expect, it } from 'vitest'
import { audited, cleanRollout, qwen } from '../session/dumps.ts'

/** Four groups of four with centred advantages, times `scale`; `odd` stands in the place of one of them. */
async function report(odd: string | null, scale: number, perToken = false) {
  const tokenizer = await qwen()
  const rows = Array.from({ length: 16 }, (_, index) => {
    const reward = ((index * 7) % 4) / 4
    const advantage = (reward - 0.375) * scale
    const { record } = cleanRollout(tokenizer, index, { group: `g${index >> 2}`, groupSize: 4, reward, advantage })
    const value = odd !== null && index === 6 ? '<odd>' : advantage
    const own = perToken
      ? { advantage: undefined, advantages: record.loss_mask?.map(() => value) }
      : { advantage: value }
    return JSON.stringify({ ...record, ...own }).replaceAll('"<odd>"', odd ?? '')
  })
  return (await audited(`${rows.join('\n')}\n`)).report()
}

describe('an advantage that is infinite', () => {
  it.each([
    ['Infinity', 1, false],
    ['-Infinity', 1, true],
    // Divided by the std of the group, which is the same in all: the formula is scaled.
    ['Infinity', 3.0983866769659336, false],
  ])('exceeds every bound: %s, scaled by %d, token by token %s', async (odd, scale, perToken) => {
    const found = await report(odd, scale, perToken)
    const a03 = found.findings.filter(({ code }) => code === 'A03')
    expect(a03).toMatchObject([{ group: 'g1', evidence: { advantage: odd } }])
    expect(a03[0]?.message).toContain(`An advantage of ${odd} in group g1`)
    expect(found.hypotheses.find(({ id }) => id === 'H01')?.verdict).toBe('supported')
  })

  it('is none that is finite, and none that is NaN', async () => {
    for (const odd of [null, 'NaN']) {
      const found = await report(odd, 1)
      expect(found.findings.filter(({ code }) => code === 'A03')).toEqual([])
    }
  })
})
