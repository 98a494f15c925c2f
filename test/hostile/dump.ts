import { Buffer } from 'node:buffer'
import {
  assistant,
  call,
  conversation,
  SEARCH_TOOL,
  system,
  tool,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { ALL_HOSTILE, HOSTILE_TEXTS } from './corpus.ts'

/** Names that a file can have here. */
export const FILE_NAMES = ALL_HOSTILE.filter(
  (text) => !/[/\0]|^\.{1,2}$|\p{Surrogate}/u.test(text) && Buffer.byteLength(text) <= 240 && !text.startsWith('.'),
)

/** Writes records in the native format that say one text wherever a text can stand, with a fault to be reported. */
export async function hostileRecords(): Promise<(text: string) => string> {
  const tokenizer = await testTokenizer('qwen2.5')
  return (text) => {
    const { record } = conversation(
      tokenizer,
      [
        system(withToolSchema('Answer with the tool.')),
        user(`Read ${text}`),
        assistant(call(tokenizer, 'search', { query: text })),
        tool(`It says ${text}`, { train: { content: true } }),
        assistant(`I read ${text}`),
      ],
      { id: text, group: text, reward: 1, finishReason: text, tools: [SEARCH_TOOL], messages: true },
    )
    return JSON.stringify({ ...record, rewards: Object.fromEntries([[text, 1]]), model: text, [text]: text })
  }
}

/** One rollout for each kind of hostile text, with all texts of the kind as tokens, messages, tools, documents and answer. */
export async function hostileByKind(): Promise<string[]> {
  const tokenizer = await testTokenizer('qwen2.5')
  return Object.entries(HOSTILE_TEXTS).map(([kind, texts], at) => {
    const tools = texts.map((text) => ({
      type: 'function',
      function: { name: text, description: text, parameters: { type: 'object', properties: { [text]: {} } } },
    }))
    const { record } = conversation(
      tokenizer,
      [
        system(texts.join('\n')),
        ...texts.flatMap((text) => [
          user(text),
          assistant(call(tokenizer, text, { [text]: text })),
          tool(text, { train: at % 2 === 0 ? { content: true } : {} }),
        ]),
        assistant(texts.join(' ')),
      ],
      { id: kind, group: kind, reward: at, messages: true, tools, answer: texts.join('\n') },
    )
    return JSON.stringify({
      ...record,
      documents: texts.map((text) => ({ id: text, title: text, text, supporting: true })),
    })
  })
}
