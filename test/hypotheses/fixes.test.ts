import { expect, it } from 'vitest'
import { fixOf } from '../../shared/exports/check-page.ts'
import { adviceSentences } from '../../shared/hypotheses/advice.ts'
import { searchRows } from '../fixtures/checks/fixture.ts'
import { jsonl } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from '../session/dumps.ts'

/** How S03 is mended, where this was done to each record. */
async function fixOfShapes(edit: (record: Record<string, unknown>) => void): Promise<string | null | undefined> {
  const rows = searchRows()(await testTokenizer('qwen2.5'))
  for (const { record } of rows) edit(record as Record<string, unknown>)
  const session = await audited(jsonl(rows).replace(/"advantage":null/g, '"advantage":NaN'), { tokenizer: 'qwen2.5' })
  return adviceSentences(session.report(), fixOf).find(({ text }) => text.includes('S03'))?.fix
}

const ids = (record: Record<string, unknown>) => record.input_ids as number[]

it('says of arrays that do not fit how just that is mended', async () => {
  expect(await fixOfShapes((record) => (record.loss_mask as number[]).splice(-2))).toBe(
    'Compare the lengths where the row is assembled; one of the arrays was built from other ids.',
  )
  expect(await fixOfShapes((record) => Object.assign(record, { advantage: null }))).toContain('a std of 0 that divides')
  expect(
    await fixOfShapes((record) => {
      ids(record)[ids(record).length - 4] = -100
    }),
  ).toContain('Find where ids that no vocabulary has come from')
  const both = await fixOfShapes((record) => Object.assign(record, { advantage: null, loss_mask: [1] }))
  expect(both).toContain('Compare the lengths')
  expect(both).toContain('a std of 0 that divides')
})
