import { Hash64 } from '../model/hash.ts'
import type { Segmentation } from '../model/tokens.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { KeptTexts } from './kept-texts.ts'
import { normalised } from './normalised-text.ts'

/** Digests by which a rollout is found again in a second run of the same questions, and compared with it; null = not told. */
export interface PairingFacts {
  /** Of the first question: its words where there are messages, else its ids. */
  readonly question: string | null
  /** Of its ids, where it is named by its words: a run that stores no messages is paired by these. Absent where they are not known. */
  readonly questionIds?: string
  /** Of the system message; `none` where the messages have none. */
  readonly system: string | null
  /** Of the names and parameters of the tools, in whatever order and shape they are listed; `none` for an empty list. */
  readonly tools: string | null
  /** Of the words of the last assistant message. */
  readonly answer: string | null
}

/** A question is told from others by its first words; documents may follow it by the page. */
const QUESTION_CHARACTERS = 4000

export function pairingFacts(trajectory: Trajectory, segmentation: Segmentation | null): PairingFacts {
  const { messages, tools, ids } = trajectory
  const first = (role: RegExp) => messages?.find((message) => role.test(message.role.toLowerCase())) ?? null
  const question = questionOf(messages)
  const byIds = questionIds(ids, segmentation)
  const system = words(first(/^(system|developer)$/))
  return {
    question: question ?? byIds,
    ...(question === null || byIds === null ? {} : { questionIds: byIds }),
    system: messages === null ? null : (system ?? 'none'),
    tools: tools === null ? null : toolsDigest(tools),
    answer: answerOf(messages),
  }
}

function answerOf(messages: readonly Message[] | null): string | null {
  const last = messages?.findLast(({ role }) => /^(assistant|agent|model|gpt|ai)$/.test(role.toLowerCase()))
  // No two rollouts say the same, as a rule: nothing is gained by keeping it.
  return digestOf(opening(last ?? null)).digest
}

/** Digest of the words of the first question; null without one. */
export function questionOf(messages: readonly Message[] | null): string | null {
  return words(firstQuestion(messages))
}

export function firstQuestion(messages: readonly Message[] | null): Message | null {
  return messages?.find(({ role }) => /^(user|human)$/.test(role.toLowerCase())) ?? null
}

/** Rollouts of a group have one question, and a run few system messages. */
const kept = new KeptTexts<{ readonly digest: string | null }>(64)

function words(message: Message | null): string | null {
  return kept.of(opening(message), digestOf).digest
}

function opening(message: Message | null): string {
  return (message?.content ?? '').slice(0, QUESTION_CHARACTERS)
}

function digestOf(content: string): { readonly digest: string | null } {
  const text = normalised(content).toLowerCase()
  return { digest: text === '' ? null : new Hash64().text(text).digest() }
}

function questionIds(ids: Int32Array | null, segmentation: Segmentation | null): string | null {
  const turn = segmentation?.turns.find(({ kind }) => kind === 'user')
  if (ids === null || turn === undefined || turn.header !== 'present') return null
  return questionIdsKey(ids, turn.contentStart, turn.contentEnd)
}

/** How a question is named whose words are not in the dump: by its ids from `start` (inclusive) to `end` (exclusive). */
export function questionIdsKey(ids: Int32Array, start: number, end: number): string {
  return `ids ${new Hash64().words(ids, start, end).digest()}`
}

function toolsDigest(tools: readonly unknown[]): string {
  if (tools.length === 0) return 'none'
  const listed = tools.map((tool) => {
    const { name, parameters } = described(tool)
    return `${name}(${Object.keys(parameters).sort().join(',')})`
  })
  return new Hash64().text(listed.sort().join('\n')).digest()
}

/** `{type: function, function: {name, parameters}}`, or its inner object alone. */
function described(tool: unknown): { name: string; parameters: Record<string, unknown> } {
  const outer = asObject(tool)
  const inner = 'function' in outer ? asObject(outer.function) : outer
  return { name: String(inner.name ?? ''), parameters: asObject(asObject(inner.parameters).properties) }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
