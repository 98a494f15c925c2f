import { hashBytes } from '../../model/bulk-hash.ts'
import type { LearnedTemplate, LearnedTurn } from './learned-template.ts'
import { between, type Probes, probe, WORDS } from './probe.ts'
import { type ChatTemplate, chatTemplate } from './render.ts'
import { TemplateError } from './template-error.ts'

const cache = new Map<string, LearnedTemplate | TemplateError>()
const encoder = new TextEncoder()

/**
 * Learns a template, once for each source. Throws `TemplateError` where it cannot be parsed, or does not write the
 * messages that it is given in their order.
 */
export function learnTemplate(source: string, names: Readonly<Record<string, string>> = {}): LearnedTemplate {
  const key = hashBytes(encoder.encode(JSON.stringify([source, names])))
  let learned = cache.get(key)
  if (learned === undefined) {
    learned = attemptToLearn(source, names)
    cache.set(key, learned)
  }
  if (learned instanceof TemplateError) throw learned
  return learned
}

function attemptToLearn(source: string, names: Readonly<Record<string, string>>): LearnedTemplate | TemplateError {
  try {
    return learn(chatTemplate(source, names))
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
}

function learn(template: ChatTemplate): LearnedTemplate {
  const { user1, answer1, user2, answer2 } = WORDS
  const seen = probe(template)
  const base = seen.dialogue
  const edges = between(base, [user1, answer1, user2, answer2])
  if (edges === null) throw new TemplateError('The chat template does not write the messages that it is given.')
  const [head, toAnswer, toUser, toLast, tail] = edges as [string, string, string, string, string]
  const closing = commonPrefix(tail, toUser)
  const userHeader = toUser.slice(closing.length).trimStart()
  const spaces = (text: string) => text.slice(text.trimEnd().length)

  const alone = seen.user === null ? '' : (between(seen.user, [user1])?.[1] ?? '')
  const userClosing = commonPrefix(toAnswer, alone)
  // Where the user's end is all there is before the answer, it is the answer's header.
  const userEnd = userClosing === toAnswer ? '' : userClosing
  const written = toAnswer.slice(userEnd.length).trimStart()

  const prompt = seen.user === null ? '' : addedTo(seen.user, seen.prompt)
  // Where nothing of its own ends the model's turns, what a template writes behind the prompt is taken for the model's words: GLM's thoughts.
  const isOpen = closing.trim() === '' && prompt !== ''
  const assistantHeader = isOpen ? commonPrefix(written, prompt).replace(/\s*<think>\s*$/, '') : written
  const assistant = { header: assistantHeader, end: closing.trimEnd() }
  const user = { header: userHeader, end: userEnd.trimEnd() }
  const system = learnSystem(seen.system, user, head)
  const before = beforeFirst(head, user.header, system)
  const preamble = head.slice(before.length, Math.max(before.length, head.length - user.header.length))
  const defaultSystem = system === null || preamble === '' ? null : textOf(preamble, system)
  const lastTurnPrefill = toLast.startsWith(toAnswer) ? toLast.slice(toAnswer.length) : ''
  const { tool, answersToolDirectly } = learnTool(seen, { ...assistant, header: written }, lastTurnPrefill)
  const prefill = prompt.startsWith(assistantHeader) ? prompt.slice(assistantHeader.length) : ''
  return {
    before,
    system,
    user,
    assistant,
    tool,
    answersToolDirectly,
    separator: spaces(closing),
    generationPrompt: prompt,
    prefill,
    prefillWithoutThinking:
      seen.promptWithoutThinking === null ? '' : addedTo(seen.prompt ?? '', seen.promptWithoutThinking),
    lastTurnPrefill,
    defaultSystem,
    date: learnDate(base, seen.otherDay),
    stripsThinking:
      seen.thoughtLast?.includes(WORDS.thought) === true && seen.thoughtEarlier?.includes(WORDS.thought) === false,
    mergesReplies: repliesShareATurn(seen.parallel, assistant),
    parallelCalls: seen.parallel !== null,
    callOpening: learnCall(seen.call, { ...assistant, header: written }),
  }
}

function commonPrefix(a: string, b: string): string {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  // A token is not cut in two: two closings that differ inside one share nothing of it.
  const open = Math.max(a.lastIndexOf('<', length - 1), a.lastIndexOf('[', length - 1))
  const cut = length < a.length && open >= 0 && !/[>\]]/.test(a.slice(open, length))
  return a.slice(0, cut ? open : length)
}

/** What a text has beyond another that it begins with; empty where it does not. */
function addedTo(text: string, longer: string | null): string {
  return longer?.startsWith(text) ? longer.slice(text.length) : ''
}

function learnSystem(rendered: string | null, user: LearnedTurn, head: string): LearnedTurn | null {
  const edges = rendered === null ? null : between(rendered, [WORDS.system, WORDS.user1])
  if (edges === null) return null
  const [opening, closing] = edges as [string, string, string]
  if (!closing.endsWith(user.header)) return null
  // Kimi spells the role twice, in the token that opens the turn and behind it.
  const named = user.header.replace(/user/gi, (role) => (role === 'USER' ? 'SYSTEM' : 'system'))
  const bare = head.endsWith(user.header) ? head.slice(0, head.length - user.header.length) : ''
  // Llama writes lines of its own between the header and the text.
  const header =
    named !== user.header && opening.includes(named) ? named : opening.slice(commonPrefix(opening, bare).length)
  const end = closing.slice(0, closing.length - user.header.length).trimEnd()
  return header === '' ? null : { header, end }
}

/** What stands before the first header, system or user. */
function beforeFirst(head: string, userHeader: string, system: LearnedTurn | null): string {
  const first = system === null ? -1 : head.indexOf(system.header)
  if (first >= 0) return head.slice(0, first)
  return head.endsWith(userHeader) ? head.slice(0, head.length - userHeader.length) : head
}

function textOf(turn: string, { header, end }: LearnedTurn): string | null {
  if (!turn.startsWith(header)) return null
  const text = turn.slice(header.length)
  const at = end === '' ? text.length : text.lastIndexOf(end)
  return at < 0 ? null : text.slice(0, at)
}

/** A tool's reply, from a call, its reply and the answer; where the template writes no calls, from a reply to what the model said. */
function learnTool(
  { call, unanswered, spokenCall }: Probes,
  assistant: LearnedTurn,
  lastTurnPrefill: string,
): Pick<LearnedTemplate, 'tool' | 'answersToolDirectly'> {
  const called = call === null ? null : between(call, [WORDS.value, WORDS.reply, WORDS.answer2])
  const spoken = spokenCall === null ? null : between(spokenCall, [WORDS.answer1, WORDS.reply, WORDS.answer2])
  const edges = called ?? spoken
  if (edges === null) return { tool: null, answersToolDirectly: false }
  const [, closing, after] = edges as [string, string, string, string]
  const callEnd = assistant.end.trimStart()
  const end = callEnd === '' ? -1 : closing.indexOf(callEnd)
  // A call that nothing ends, or not as words are ended (DeepSeek V3), is told from the reply's header by what stands there without a reply.
  const callRest = end < 0 && called !== null ? (between(unanswered ?? '', [WORDS.value])?.[1] ?? '') : ''
  const from = end < 0 ? commonPrefix(closing, callRest).length : end + callEnd.length
  const header = closing.slice(from).trimStart()
  const answerHeader = [assistant.header + lastTurnPrefill, assistant.header].find((each) => after.endsWith(each))
  const tail = answerHeader === undefined ? after : after.slice(0, after.length - answerHeader.length)
  return { tool: { header, end: tail.trimEnd() }, answersToolDirectly: answerHeader === undefined }
}

function learnCall(rendered: string | null, assistant: LearnedTurn): string | null {
  const edges = rendered === null ? null : between(rendered, [WORDS.user1, WORDS.tool])
  const opening = edges?.[1]
  if (opening === undefined) return null
  const at = opening.indexOf(assistant.header.trim())
  return at < 0 ? null : opening.slice(at + assistant.header.trim().length).trimStart()
}

function repliesShareATurn(rendered: string | null, assistant: LearnedTurn): boolean {
  const edges = rendered === null ? null : between(rendered, [WORDS.reply, WORDS.otherReply])
  return edges !== null && assistant.end !== '' && !(edges[1] as string).includes(assistant.end.trimStart())
}

function learnDate(base: string, otherDay: string | null): string | null {
  if (otherDay !== null && otherDay !== base) return 'today'
  return /\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{4}\b/.exec(base)?.[0] ?? null
}
