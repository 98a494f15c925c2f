import type { ChatTemplate, RenderOptions, TemplateMessage } from './render.ts'
import { TemplateError } from './template-error.ts'

/** Words that no template holds, so that their places in a rendering are the places of the messages. */
export const WORDS = {
  system: 'QsystemtextQ',
  user1: 'QfirstquestionQ',
  answer1: 'QfirstanswerQ',
  user2: 'QsecondquestionQ',
  answer2: 'QsecondanswerQ',
  thought: 'QthoughtQ',
  tool: 'QtoolnameQ',
  value: 'QargumentQ',
  otherValue: 'QotherargumentQ',
  reply: 'QreplyQ',
  otherReply: 'QotherreplyQ',
} as const

/** Renderings of probe conversations; null where the template refuses one. */
export interface Probes {
  /** Question, answer, question, answer. */
  readonly dialogue: string
  readonly otherDay: string | null
  readonly user: string | null
  readonly prompt: string | null
  readonly promptWithoutThinking: string | null
  readonly system: string | null
  /** Question, call, reply, answer. */
  readonly call: string | null
  /** The same up to the call. */
  readonly unanswered: string | null
  /** The same with a call that is text of the model's; null where calls are written, or no reply is without one. */
  readonly spokenCall: string | null
  /** Question, two calls, two replies and the answer. */
  readonly parallel: string | null
  /** A thought in the last turn, and in an earlier one. */
  readonly thoughtLast: string | null
  readonly thoughtEarlier: string | null
}

const user = (content: string): TemplateMessage => ({ role: 'user', content })
const assistant = (content: string): TemplateMessage => ({ role: 'assistant', content })
const reply = (content: string, id: string, role = 'tool'): TemplateMessage => ({ role, content, tool_call_id: id })

/** Names that templates have for the role of a reply: where they write nothing for the first they may for another (Granite 3.0). */
const REPLY_ROLES = ['tool', 'tool_response', 'observation', 'ipython'] as const

/** Mistral takes nothing but nine letters or digits for the id of a call. */
export const CALL_ID = 'probe0001'
const OTHER_ID = 'probe0002'

type CallForm = { readonly content: string | null; readonly argumentsAsText: boolean }

/** Templates differ in what they take for a turn that only calls: text or nothing beside it, arguments as an object or as JSON. */
const CALL_FORMS: readonly CallForm[] = [
  { content: '', argumentsAsText: false },
  { content: null, argumentsAsText: true },
]

function calling(form: CallForm, ...calls: (readonly [value: string, id: string])[]): TemplateMessage {
  const argumentsOf = (value: string) => (form.argumentsAsText ? JSON.stringify({ query: value }) : { query: value })
  return {
    role: 'assistant',
    content: form.content,
    tool_calls: calls.map(([value, id]) => ({
      id,
      type: 'function',
      function: { name: WORDS.tool, arguments: argumentsOf(value) },
    })),
  }
}

export function probe(template: ChatTemplate): Probes {
  const render = (messages: readonly TemplateMessage[], options?: RenderOptions) => {
    try {
      return template.render(messages, options)
    } catch (error) {
      if (error instanceof TemplateError) return null
      throw error
    }
  }
  const { user1, answer1, user2, answer2, thought, value, otherValue } = WORDS
  const dialogue = [user(user1), assistant(answer1), user(user2), assistant(answer2)]
  const thinking = assistant(`<think>\n${thought}\n</think>\n\n${answer1}`)
  const answered = (role?: string) => [reply(WORDS.reply, CALL_ID, role), assistant(answer2)]
  const both = [reply(WORDS.reply, CALL_ID), reply(WORDS.otherReply, OTHER_ID), assistant(answer2)]
  /**
   * The first rendering that has the call with its argument, and the reply, in it. Without the argument the template joined the object to
   * its text, as a template cannot that is run in Python (DeepSeek).
   */
  const inSomeForm = (
    conversation: (form: CallForm) => TemplateMessage[],
    words: readonly string[] = [WORDS.value, WORDS.reply],
  ) => {
    for (const form of CALL_FORMS) {
      const rendered = render(conversation(form))
      if (rendered !== null && between(rendered, words) !== null) return rendered
    }
    return null
  }
  const prompt = render([user(user1)], { generationPrompt: true })
  const call = inSomeForm((form) => [user(user1), calling(form, [value, CALL_ID]), ...answered()])
  /** The first rendering that has the reply in it, to something that the model said. */
  const inSomeRole = () => {
    for (const role of REPLY_ROLES) {
      const rendered = render([user(user1), assistant(answer1), ...answered(role)])
      if (rendered?.includes(WORDS.reply)) return rendered
    }
    return null
  }
  return {
    // The one conversation that every chat template must render: its refusal is the error.
    dialogue: template.render(dialogue),
    otherDay: render(dialogue, { date: '1 Jan 1999' }),
    user: render([user(user1)]),
    prompt,
    promptWithoutThinking: render([user(user1)], { generationPrompt: true, variables: { enable_thinking: false } }),
    system: render([{ role: 'system', content: WORDS.system }, user(user1)]),
    call,
    unanswered: inSomeForm((form) => [user(user1), calling(form, [value, CALL_ID])], [value]),
    spokenCall: call === null ? inSomeRole() : null,
    parallel: inSomeForm((form) => [user(user1), calling(form, [value, CALL_ID], [otherValue, OTHER_ID]), ...both]),
    thoughtLast: render([user(user1), thinking]),
    thoughtEarlier: render([user(user1), thinking, user(user2)]),
  }
}

/** The pieces around words that stand in a text once each and in this order; null where they do not. */
export function between(text: string, words: readonly string[]): string[] | null {
  const pieces: string[] = []
  let at = 0
  for (const word of words) {
    const found = text.indexOf(word, at)
    if (found < 0) return null
    pieces.push(text.slice(at, found))
    at = found + word.length
  }
  return [...pieces, text.slice(at)]
}
