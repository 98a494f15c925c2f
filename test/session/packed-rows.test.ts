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

describe('a row without sequence ids whose messages end where its system turn is there again', () => {
  const brief = { role: 'system', content: 'Be brief.' }
  const asked = { role: 'user', content: 'Is it red?' }
  const answered = { role: 'assistant', content: 'Yes.' }
  const behind = [BRIEF, user('Is it blue?'), assistant('No.')]
  const abutting = [BRIEF, user('Is it red?'), assistant('Yes.', { separator: false }), ...behind]
  const told =
    (...messages: readonly JsonObject[]) =>
    (ids: readonly number[]) => ({ ...running(ids), prompt_length: 12, messages: [...messages] })

  it('is packed, whether another question follows or the same', async () => {
    expect((await packing(abutting, told(brief, asked, answered))).status).toBe('fail')
    const same = [...abutting.slice(0, 3), BRIEF, user('Is it red?'), assistant('No.')]
    expect((await packing(same, told(brief, asked, answered))).status).toBe('fail')
  })

  it.each<[string, readonly TurnSpec[], (ids: readonly number[]) => JsonObject]>([
    ['the messages go on', abutting, told(brief, asked, answered, { role: 'user', content: 'Is it blue?' }, answered)],
    ['the messages are those of the prompt', abutting, told(brief, asked)],
    ['the last message is another answer', abutting, told(brief, asked, { role: 'assistant', content: 'No.' })],
    ['a newline parts the two, as in one conversation', again, told(brief, asked, answered)],
    ['the messages are fewer', [user('What?'), assistant('That.'), ...abutting], told(brief, asked, answered)],
    ['positions restart', abutting, (ids) => ({ ...told(brief, asked, answered)(ids), position_ids: restarting(ids) })],
  ])('is not packed where %s', async (_, turns, more) => {
    expect((await packing(turns, more)).status).not.toBe('fail')
  })
})

/** Positions that begin anew at the last system turn. */
function restarting(ids: readonly number[]): number[] {
  const at = ids.findLastIndex((id, i) => id === 151644 && ids[i + 1] === 8948)
  return ids.map((_, i) => (i < at ? i : i - at))
}
