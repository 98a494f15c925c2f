import { expect, it } from 'vitest'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditTrajectories } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')

/** How many rollouts are punished for a cut, of three that were cut and earn -1, beside closed ones with these rewards. */
function punished(closed: readonly number[]): number {
  const cut = [0, 1, 2].map((at) =>
    searchRow(qwen2, at, { answer: { end: false } }, { id: `cut-${at}`, reward: -1, isTruncated: true }),
  )
  const whole = closed.map((reward, at) =>
    searchRow(
      qwen2,
      at,
      { answer: { text: `Attempt ${at}: so it is.` } },
      { id: `whole-${at}`, reward, isTruncated: false },
    ),
  )
  const rows = [...cut, ...whole].map((row, record) => trajectoryOf(row, { source: 0, record, part: 0 }))
  return auditTrajectories(rows, qwen2).byCode.get('C06')!.tally.affected
}

it('cut rollouts are punished where most that fail do so at one value, whatever few earn below it', () => {
  expect(punished([1, 1, 1, 1, 0.2, 0.2, 0.2])).toBe(3)
  expect(punished([1, 1, 1, 1, 0.2, 0.2, 0.2, 0])).toBe(3)
  expect(punished([1, 1, 1, 1, 0.8, 0.2, 0.2, 0.2, 0])).toBe(3)
})

it('they are not where rewards are of many sizes, where more fail below, and where all that fall short are few', () => {
  expect(punished([1, 1, 1, 1, 0.8, 0.7, 0.6, 0.5, 0.5, 0.5, 0.4])).toBe(0)
  expect(punished([1, 1, 1, 1, 0.2, 0.2, 0.2, 0.1, 0.05, 0])).toBe(0)
  expect(punished([1, 1, 1, 1, 1, 0.2, 0.2, 0])).toBe(0)
})
