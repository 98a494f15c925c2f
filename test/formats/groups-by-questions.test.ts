import { describe, expect, it } from 'vitest'
import { groupsText } from '../../shared/exports/phrases.ts'
import { conversation } from '../helpers/conversation.ts'
import { audited, qwen, turnsOf } from '../session/dumps.ts'

/** Rows of NeMo-RL, which name no group: these many rollouts of each question, one after the other. */
async function rows(sizes: readonly number[]): Promise<string> {
  const tokenizer = await qwen()
  const written = sizes.flatMap((size, question) =>
    Array.from({ length: size }, (_, member) => {
      const answer = { text: `It rises in the hills, says attempt ${member}.` }
      const { record } = conversation(tokenizer, turnsOf(tokenizer, question, { answer }), {})
      return {
        token_ids: [record.input_ids],
        token_loss_mask: [record.loss_mask],
        sample_loss_mask: [1],
        input_lengths: [record.input_ids?.length],
        advantages: [record.input_ids?.map(() => (member % 2) - 0.5)],
        rewards: [member % 2],
      }
    }),
  )
  return written.map((row, idx) => `${JSON.stringify({ ...row, idx })}\n`).join('')
}

describe('rows that come by order, without a size of groups', () => {
  it('are in groups as large as questions are repeated, and the report says that it rests on no more', async () => {
    const report = (await audited(await rows([4, 4, 4, 4]))).report()
    expect(report.totals).toMatchObject({ trajectories: 16, groups: 4, group_size_by_questions: 4 })
    expect(groupsText(report)).toBe('4 groups (nothing names them: 4 rollouts in a row answer one question)')
    expect(report.checks.find(({ code }) => code === 'A04')?.status).toBe('pass')
  })

  it('are in none where questions do not tell, and in those that are given without a word', async () => {
    const uneven = (await audited(await rows([4, 3, 4, 2]))).report()
    expect(uneven.totals.groups).toBe(0)
    expect(uneven.checks.find(({ code }) => code === 'A04')?.status).toBe('not-checkable')
    const given = (await audited(await rows([4, 4, 4, 4]), { groupSize: 2 })).report()
    expect(given.totals.groups).toBe(8)
    expect(given.totals).not.toHaveProperty('group_size_by_questions')
  })
})
