import fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { PlainMarkdown } from '../../renderer/views/notebook/plain-markdown.tsx'
import { finalAnswer } from '../../shared/checks/truncation/reward-for-cut-text.ts'
import { parseFloatText } from '../../shared/containers/pickle/integers.ts'
import { numberOf } from '../../shared/formats/run-logs/series.ts'
import { roleKind } from '../../shared/model/roles.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import {
  assistant,
  conversation,
  SEARCH_TOOL,
  system,
  type TurnSpec,
  tool,
  user,
  withToolSchema,
} from '../helpers/conversation.ts'
import { qwen } from '../session/dumps.ts'
import { testHost } from '../session/test-host.ts'
import { target } from './target.ts'

/** What takes time by the square of this never ends while somebody waits. Characters. */
const LENGTH = 200_000

const CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>'
const ASKED = [system(withToolSchema('Search.')), user('Where?')]

/** Where the text stands in a rollout. */
const TURNS: Readonly<Record<string, (text: string) => readonly TurnSpec[]>> = {
  system: (text) => [system(text), user('Where?'), assistant('There.')],
  question: (text) => [system('Search.'), user(text), assistant('There.')],
  answer: (text) => [...ASKED, assistant(text)],
  call: (text) => [...ASKED, assistant(`<tool_call>\n${text}\n</tool_call>`), tool('ok'), assistant('There.')],
  reply: (text) => [...ASKED, assistant(CALL), tool(text), assistant('There.')],
}

async function judged(text: string): Promise<void> {
  const session = await Session.open([memorySource(text)], {}, testHost())
  await session.done
  session.report()
}

/** The rollout as it was, and as a limit cut it. */
async function judgedIn(place: string, text: string): Promise<void> {
  const turns = (TURNS[place]?.(text.trimStart()) ?? []).map((turn) => ({ ...turn, specials: false }))
  const options = { tools: [SEARCH_TOOL], messages: true, logprobs: 'both' } as const
  const tokenizer = await qwen()
  const whole = conversation(tokenizer, turns, { ...options, id: 'whole' })
  const cut = conversation(tokenizer, turns, { ...options, id: 'cut', cutRight: 12, isTruncated: true })
  await judged([whole, cut].map(({ record }) => JSON.stringify(record)).join('\n'))
}

function orRefused(read: () => unknown): void {
  try {
    read()
  } catch {
    // That is said in a sentence, which other targets hold.
  }
}

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(Object.keys(TURNS).map((place) => [place, (text: string) => judgedIn(place, text)])),
  file: (text) => judged(text),
  log: (text) => judged(`{'loss': 0.5, 'reward': 1}\n{'loss': 0.4, 'reward': 1}\n${text}\n`),
  role: (text) => roleKind(text),
  number: (text) => numberOf(text),
  'pickled-number': (text) => orRefused(() => parseFloatText(text, 0)),
  'final-answer': (text) => finalAnswer(text, 200),
  markdown: (text) => renderToStaticMarkup(createElement(PlainMarkdown, { text })),
}

const PIECE = fc.oneof(
  fc.constantFrom(...' \n\t0A_=[{<"/-.', '\ufffd', '</', '}</', 'a(', 'a=:', '<answer>', '<tool_call>', '{"a":', '- '),
  fc.string({ maxLength: 3 }),
)

/** A short text over and over again takes no more time than as many others. */
export const repeatedText = target(
  'repeated',
  'a text that repeats itself',
  fc.record({
    reader: fc.constantFrom(...Object.keys(READERS)),
    before: PIECE,
    unit: PIECE.filter((text) => text !== ''),
    after: PIECE,
  }),
  async ({ reader, before, unit, after }) => {
    await READERS[reader]?.(before + unit.repeat(LENGTH / unit.length) + after)
  },
)
