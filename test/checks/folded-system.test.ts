import { expect, it } from 'vitest'
import { assistant, conversation, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { auditDump } from './audit.ts'

const SYSTEM = 'You answer in one short sentence, and name where it is written.'

/** Eight rollouts whose template writes the system message into the turn of the question, as Gemma's does; some lack it there. */
async function t09(lacks: (index: number) => boolean, system = SYSTEM) {
  const tokenizer = await testTokenizer('qwen2.5')
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: 'Who built the mill?' },
    { role: 'assistant', content: 'Maud Ester did.' },
  ]
  const row = (index: number) => {
    const asked = lacks(index) ? 'Who built the mill?' : `${SYSTEM}\n\nWho built the mill?`
    return conversation(tokenizer, [user(asked), assistant('Maud Ester did.')], { more: { messages } })
  }
  const dump = { story: '', family: 'qwen2.5' as const, rows: () => Array.from({ length: 8 }, (_, i) => row(i)) }
  return (await auditDump(dump)).byCode.get('T09')!.tally
}

it('a system message that stands in the turn of the question was looked for, and those that lack it are some of all', async () => {
  expect(await t09(() => false)).toMatchObject({ checked: 8, affected: 0 })
  expect(await t09((index) => index === 3)).toMatchObject({ checked: 8, affected: 1 })
})

it('where there is no system message nothing is looked for', async () => {
  expect(await t09(() => false, '  ')).toMatchObject({ checked: 0, affected: 0 })
})
