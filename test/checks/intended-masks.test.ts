import { describe, expect, it } from 'vitest'
import { M03 } from '../../shared/checks/mask/assistant-masked.ts'
import { TrajectoryReporter } from '../../shared/checks/reporting/tally.ts'
import { Expected } from '../../shared/model/tokens.ts'
import { searchRow, searchRows } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditDump, auditTrajectories, settings } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

describe('intended by the policy', () => {
  it('M03 under last-turn is listed and fails nothing', async () => {
    const { byCode } = await auditDump({
      story: 'declared',
      family: 'qwen2.5',
      policy: 'last-turn',
      rows: searchRows({ call: { train: false } }),
    })
    const { tally, findings } = byCode.get('M03')!
    expect(findings.map(({ intended }) => intended)).toEqual([true, true, true])
    expect(tally).toMatchObject({ checked: 3, affected: 0, intended: 3, placesAffected: 0, affectedTokens: 0 })
  })

  it('but a masked last turn is no part of it', async () => {
    const { byCode } = await auditDump({
      story: 'first turn only',
      family: 'qwen2.5',
      policy: 'last-turn',
      rows: searchRows({ answer: { train: false } }),
    })
    const found = byCode.get('M03')?.findings.filter(({ record }) => record === 0)
    expect(found?.map(({ turn, intended }) => [turn, intended])).toEqual([
      [2, undefined],
      [4, undefined],
    ])
    expect(found?.map(({ message }) => message.split(':')[0])).toEqual([
      expect.stringMatching(/^Assistant turn 1 is trained/),
      'Assistant turn 2 is masked out',
    ])
  })

  it('nor are earlier turns that train although they are declared not to', async () => {
    const rows = searchRows()
    const { failing, byCode, views } = await auditDump({
      story: 'declared, and not done',
      family: 'qwen2.5',
      policy: 'last-turn',
      rows,
    })
    expect(failing).toEqual(['M03'])
    const { tally, findings } = byCode.get('M03')!
    expect(tally).toMatchObject({ checked: 3, affected: 3, intended: 0, placesChecked: 6, placesAffected: 3 })
    expect(findings.map(({ turn, intended }) => [turn, intended])).toEqual(Array(3).fill([2, undefined]))
    expect(findings[0]?.message).toMatch(
      /^Assistant turn 1 is trained, (\d+) of its \1 tokens; the declared policy trains the last assistant turn alone$/,
    )
    // What the oracle would mask and the mask trains lies in a finding, token by token.
    for (const [i, { expected, mask }] of views.entries()) {
      const [from, to] = findings[i]!.tokens!
      const against = [...mask!.keys()].filter((at) => mask![at] === 1 && expected![at] === Expected.masked)
      expect(against.every((at) => at >= from && at < to)).toBe(true)
      expect(against.length).toBeGreaterThan(0)
    }
  })

  it('where a format says that it trains the last turn unless told otherwise, other turns may train', () => {
    const [view] = auditTrajectories([trajectoryOf(searchRow(qwen2, 0))], qwen2, { policy: 'last-turn' }).views
    const base = settings('last-turn')
    const found = (origin: 'given' | 'format') => {
      const declared = { ...base, policy: { ...base.policy, origin } }
      const reporter = new TrajectoryReporter(M03, view!, declared)
      M03.trajectory?.(view!, declared, reporter)
      return reporter.finish().findings.length
    }
    expect([found('given'), found('format')]).toEqual([1, 0])
  })

  it('where the last turn is the environment’s and trained, only M01 is a fault', async () => {
    const rows = searchRows({
      call: { train: false },
      answer: { train: false },
      after: () => [{ role: 'environment', text: 'The state is now this.', train: true }],
    })
    const { failing, byCode } = await auditDump({ story: 'game', family: 'llama3', policy: 'last-turn', rows })
    expect(failing).toEqual(['M01'])
    expect(byCode.get('M01')?.findings[0]?.message).toMatch(/^\d+ tokens of an environment turn carry loss$/)
  })

  it('what a person declares intended fails nothing', () => {
    const row = searchRow(qwen2, 0, { reply: { train: { content: true } } })
    const { failing, byCode } = auditTrajectories([trajectoryOf(row)], qwen2, { options: { intend: ['M01'] } })
    expect(failing).toEqual([])
    expect(byCode.get('M01')?.tally).toMatchObject({ intended: 1, affected: 0 })
  })
})
