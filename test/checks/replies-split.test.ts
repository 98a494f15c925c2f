import { describe, expect, it } from 'vitest'
import { assistant, call, conversation, system, tool, user } from '../helpers/conversation.ts'
import { audited, lines, qwen } from '../session/dumps.ts'

const DEFAULT = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.'
const REPLIES = ['Night Harbour is a film of 1961.', 'Ines Valdoro was born in 1920.'] as const

/** T11 and T09 of two rollouts with two calls in one turn, between whose replies a system turn stands that the messages have or lack. */
async function judged(between: string, isMessage: boolean) {
  const tokenizer = await qwen()
  const rows = ['1961', '1920'].map((year, i) => {
    const calls = ['film', 'director'].map((query) => call(tokenizer, 'search', { query })).join('\n')
    const own = 'Answer with the help of the tool.'
    const [first, second] = REPLIES
    const turns = [
      system(own),
      user('Which year?'),
      assistant(`Both at once.\n${calls}`),
      tool(first),
      system(between),
      tool(second),
      assistant(`It was ${year}.`),
    ]
    const messages = [
      { role: 'system', content: own },
      { role: 'user', content: 'Which year?' },
      { role: 'assistant', content: `Both at once.\n${calls}` },
      { role: 'tool', content: first },
      ...(isMessage ? [{ role: 'system', content: between }] : []),
      { role: 'tool', content: second },
      // What parallel replies look like where nothing parts them: the check asks for a run of two.
      { role: 'tool', content: 'Nothing more was found.' },
      { role: 'assistant', content: `It was ${year}.` },
    ]
    return conversation(tokenizer, turns, { id: `row-${i}`, more: { messages } })
  })
  const { checks, findings } = (await audited(lines(rows))).report()
  const named = ({ code }: { code: string }) => code === 'T11' || code === 'T09'
  return {
    failing: checks.filter((check) => named(check) && check.status === 'fail').map(({ code }) => code),
    told: findings.filter(({ code }) => code === 'T11').map(({ message }) => message),
  }
}

describe('replies to parallel calls, of which each was rendered alone', () => {
  it('have turns of their own behind system turns that no message has', async () => {
    const { failing, told } = await judged(DEFAULT, false)
    expect(failing).toEqual(['T09', 'T11'])
    expect(told[0]).toContain('2 tool replies after assistant turn 1 have a user turn each')
  })

  it('are parted by a system message', async () => {
    expect(await judged('The second index is down, be brief.', true)).toEqual({ failing: [], told: [] })
    expect(await judged(DEFAULT, true)).toEqual({ failing: [], told: [] })
  })
})

/** T11 of rows whose messages are those of the prompt alone, with the replies in one turn or in turns of their own. */
async function ofPromptAlone(replies: readonly ReturnType<typeof tool>[]) {
  const tokenizer = await qwen()
  const rows = ['1961', '1920'].map((year, i) => {
    const calls = ['film', 'director'].map((query) => call(tokenizer, 'search', { query })).join('\n')
    const turns = [user('Which year?'), assistant(`Both at once.\n${calls}`), ...replies, assistant(`It was ${year}.`)]
    const messages = [{ role: 'user', content: 'Which year?' }]
    return conversation(tokenizer, turns, { id: `row-${i}`, more: { messages } })
  })
  return (await audited(lines(rows))).report().checks.find(({ code }) => code === 'T11')
}

describe('replies in the ids of rows whose messages end with the prompt', () => {
  it('have turns of their own', async () => {
    expect(await ofPromptAlone(REPLIES.map((text) => tool(text)))).toMatchObject({ status: 'fail', affected: 2 })
  })

  it('share one turn', async () => {
    const both = REPLIES.map((text) => `<tool_response>\n${text}\n</tool_response>`).join('\n')
    expect(await ofPromptAlone([user(both)])).toMatchObject({ status: 'pass', checked: 2 })
  })
})
