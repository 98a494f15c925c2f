import { describe, expect, it } from 'vitest'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, groupFacts } from '../helpers/facts.ts'
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
    ['Infinity', 1, false, 'inconclusive'],
    ['-Infinity', 1, true, 'inconclusive'],
    // By no known formula.
    ['Infinity', 2.5, false, 'inconclusive'],
    // Divided by the std of the group, which is the same in all: the formula is scaled.
    ['Infinity', 3.0983866769659336, false, 'supported'],
  ])('exceeds every bound: %s, scaled by %d, token by token %s', async (odd, scale, perToken, verdict) => {
    const found = await report(odd, scale, perToken)
    const a03 = found.findings.filter(({ code }) => code === 'A03')
    expect(a03).toMatchObject([{ group: 'g1', evidence: { advantage: odd } }])
    expect(a03[0]?.message).toContain(`An advantage of ${odd} in group g1`)
    expect(found.checks.find(({ code }) => code === 'A03')).toMatchObject({ status: 'fail', checked: 4, affected: 1 })
    const h01 = found.hypotheses.find(({ id }) => id === 'H01')
    expect(h01?.verdict).toBe(verdict)
    if (verdict === 'supported') return
    // Nothing shows that a small std made it.
    expect(h01?.because.find(({ checks }) => checks.includes('A03'))).toMatchObject({
      measure: expect.stringMatching(/^groups with an infinite advantage/),
      value: 1,
    })
    expect(h01?.would_change.join('\n')).toContain('no advantage is infinite')
  })

  it('is none that is finite, and none that is NaN', async () => {
    for (const odd of [null, 'NaN']) {
      const found = await report(odd, 1)
      expect(found.findings.filter(({ code }) => code === 'A03')).toEqual([])
    }
  })
})

describe('a finite advantage that no known formula gives', () => {
  /** Ten times what the std of four rewards, that of sixteen, and the rewards give: ten times the root of sixteen. */
  it.each([
    ['40.5', 1],
    ['-6211', 1],
    ['39.5', 0],
  ])('exceeds every bound far enough: %s', async (odd, affected) => {
    const found = await report(odd, 2.5)
    const findings = found.findings.filter(({ code }) => code === 'A03')
    expect(findings).toHaveLength(affected)
    if (affected === 0) {
      expect(found.checks.find(({ code }) => code === 'A03')?.status).toBe('not-checkable')
      return
    }
    expect(findings).toMatchObject([{ group: 'g1', evidence: { advantage: Number(odd), bound_of_all_formulas: 4 } }])
    // With its sign: whether the policy is drawn to a rollout or away from it.
    expect(findings[0]?.message).toContain(`An advantage of ${odd.replace('-', '−')} in group g1;`)
    expect(found.hypotheses.find(({ id }) => id === 'H01')?.verdict).toBe('inconclusive')
  })

  it('is no explosion where the others show a formula that divides by no std: it is another number than that gives', async () => {
    const { checks } = await report('40.5', 1)
    const statusOf = (wanted: string) => checks.find(({ code }) => code === wanted)?.status
    expect([statusOf('A03'), statusOf('A04')]).toEqual(['not-applicable', 'fail'])
  })
})

it('is one of the groups whose rewards differ, where no formula is known', () => {
  const wide = (group: number) => (group === 3 || group === 17 ? 6211 : 1)
  const rewards = Array.from({ length: 40 }, (_, group) => (group < 30 ? [0, 0.25, 0.5, 0.75] : [1, 1, 1, 1]))
  const facts = groupFacts(rewards, (reward, group) => ({
    advantage: group < 30 ? (reward - 0.375) * 2.5 * (1 + (group % 3)) * wide(group) : 0,
  }))
  const { tally } = runOver('A03', dumpOf(facts))
  expect(tally).toMatchObject({ checked: 30, affected: 2, placesChecked: 30, placesAffected: 2 })
})
