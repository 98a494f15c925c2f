import { expect, it } from 'vitest'
import { assistant, conversation, SEARCH_TOOL, system, tool, user, withToolSchema } from '../helpers/conversation.ts'
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

const QWEN_DEFAULT = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.'
const LLAMA_DATES = 'Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n'
const IPYTHON = 'Environment: ipython\n'
const OTHER_TOOL = { ...SEARCH_TOOL, function: { ...SEARCH_TOOL.function, name: 'open' } }

/** The message of T09 where a second system turn stands before the reply; null where it says nothing. */
async function between(family: 'qwen2.5' | 'qwen3' | 'llama3', first: string, second: string, message: string | null) {
  const audit = await auditDump({
    story: '',
    family,
    rows: (tokenizer) => {
      const turns = [user('Is it red?'), assistant('I look.'), system(second), tool('It is red.'), assistant('Yes.')]
      const row = conversation(tokenizer, [system(first), ...turns], { tools: [SEARCH_TOOL] })
      const said = message === null ? [] : [system(message)]
      const messages = [...said, ...turns.filter(({ role }) => role !== 'system')].map(({ role, text }) => ({
        role,
        content: text,
      }))
      return [{ ...row, record: { ...row.record, messages } }]
    },
  })
  return audit.byCode.get('T09')?.findings[0]?.message ?? null
}

it('the default of a template is one with the tools of the row as well, and so is one without words of its own', async () => {
  const first = withToolSchema(TEXT)
  const isDefault = expect.stringContaining("The template's default system text")
  expect(await between('qwen2.5', first, withToolSchema(QWEN_DEFAULT), TEXT)).toEqual(isDefault)
  expect(await between('qwen3', first, withToolSchema('').trim(), TEXT)).toEqual(isDefault)
  expect(await between('llama3', IPYTHON + LLAMA_DATES + TEXT, IPYTHON + LLAMA_DATES, TEXT)).toEqual(isDefault)
})

it("a row's own text is repeated without the tools, or without the lines that Llama's template writes before it", async () => {
  const same = expect.stringContaining('The same system text')
  expect(await between('qwen2.5', withToolSchema(TEXT), TEXT, TEXT)).toEqual(same)
  expect(await between('qwen3', withToolSchema(TEXT), TEXT, null)).toEqual(same)
  expect(await between('llama3', IPYTHON + LLAMA_DATES + TEXT, TEXT, TEXT)).toEqual(same)
  const functions = `You have access to the following functions. Do not use variables.\n\n${JSON.stringify(SEARCH_TOOL, null, 4)}\n\n`
  expect(await between('llama3', IPYTHON + LLAMA_DATES + functions + TEXT, LLAMA_DATES + TEXT, TEXT)).toEqual(same)
  expect(await between('qwen2.5', `${TEXT}\n\nYou can call: search(query).`, TEXT, TEXT)).toEqual(same)
})

it('other words, and other tools that the row has from there on, repeat nothing', async () => {
  const first = withToolSchema(TEXT)
  expect(await between('qwen2.5', first, 'Two turns are left.', TEXT)).toBeNull()
  expect(await between('qwen2.5', first, withToolSchema('Two turns are left.'), TEXT)).toBeNull()
  expect(await between('qwen3', first, withToolSchema('', [OTHER_TOOL]).trim(), TEXT)).toBeNull()
  expect(await between('qwen3', TEXT, withToolSchema('').trim(), TEXT)).toBeNull()
  expect(await between('llama3', IPYTHON + LLAMA_DATES + TEXT, `${LLAMA_DATES}Two turns are left.`, TEXT)).toBeNull()
  // A part of the first text, without a message that it would be.
  expect(await between('qwen2.5', `${TEXT}\n\nBe kind.`, TEXT, null)).toBeNull()
})
