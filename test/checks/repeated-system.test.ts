import { expect, it } from 'vitest'
import { assistant, conversation, system, user } from '../helpers/conversation.ts'
import { auditDump } from './audit.ts'

const TEXT = 'Answer in one sentence.'

/** T09 of rollouts whose ids hold the system text before each of two questions, with so many of these turns in the messages. */
async function named(meant: number): Promise<number> {
  const audit = await auditDump({
    story: '',
    family: 'qwen2.5',
    rows: (tokenizer) =>
      ['one', 'two'].map((word) => {
        const turns = [
          system(TEXT),
          user(`Say ${word}.`),
          assistant(word),
          system(TEXT),
          user('Again.'),
          assistant(word),
        ]
        const row = conversation(tokenizer, turns, { messages: true })
        let kept = 0
        const messages = row.record.messages?.filter(({ role }) => role !== 'system' || kept++ < meant)
        return { ...row, record: { ...row.record, messages } as typeof row.record }
      }),
  })
  return audit.byCode.get('T09')?.findings.length ?? 0
}

it('a system text that stands in the ids once more than the messages have it is repeated, and one that they have as often is meant', async () => {
  expect(await named(1)).toBe(2)
  expect(await named(2)).toBe(0)
})
