import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../shared/containers/container.ts'
import { assistant, conversation, system, type TurnSpec, tool, user } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { audited } from './dumps.ts'
import { testHost } from './test-host.ts'

const BRIEF = system('Be brief.')
const first = [BRIEF, user('Is it red?'), assistant('Yes.')]

/** What is said of the packing of three rows, whose turns and further fields these are. */
async function packing(turns: readonly TurnSpec[], more: (ids: readonly number[]) => JsonObject) {
  const tokenizer = await testTokenizer('qwen2.5')
  const rows = [0, 1, 2].map((id) => {
    const { input_ids, loss_mask } = conversation(tokenizer, [...turns]).record
    return JSON.stringify({ id: `${id}`, input_ids, loss_mask, ...more(input_ids) })
  })
  const report = (await audited(rows.join('\n'), { tokenizer: 'qwen2.5' }, testHost())).report()
  const { status, reason } = report.checks.find(({ code }) => code === 'S01')!
  return { status, reason }
}

const running = (ids: readonly number[]) => ({ position_ids: ids.map((_, at) => at) })
const again = [...first, BRIEF, user('Is it blue?'), assistant('No.')]

describe('rows without sequence ids, in which the first system turn is there again and the positions run on', () => {
  it('cannot be told from packed ones', async () => {
    expect(await packing(again, running)).toEqual({
      status: 'not-checkable',
      reason:
        '3 further conversations begin with the system turns of the first, and the positions run on: a packed row without sequence ids looks like that, and so does a system turn that is there again (T09)',
    })
  })

  it.each<[string, readonly TurnSpec[], (ids: readonly number[]) => JsonObject]>([
    [
      'its messages are one conversation',
      again,
      (ids) => ({ ...running(ids), messages: again.map(({ role, text }) => ({ role, content: text })) }),
    ],
    ['the length of its prompt is stored', again, (ids) => ({ ...running(ids), prompt_length: ids.length - 3 })],
    ['a reply of the tool follows', [...first, BRIEF, tool('It is.'), assistant('No.')], running],
    ['another system turn stands there', [...first, system('Be kind.'), user('And now?'), assistant('No.')], running],
  ])('are not packed where %s', async (_, turns, more) => {
    expect((await packing(turns, more)).status).toBe('not-applicable')
  })
})
