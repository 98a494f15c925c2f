import { kernelWith } from '../../containers/kernel/thread-kernel.ts'
import { hashOfNumbers } from '../../model/bulk-hash.ts'
import { Hash64 } from '../../model/hash.ts'
import { roleKind } from '../../model/roles.ts'
import type { Segmentation, Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { learnedTemplateOf } from '../../tokens/template/rerender.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { Tokenizer, TokenTable } from '../../tokens/tokenizer.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { OfLast } from '../of-last.ts'
import { type ToolsInText, toolsInText, withoutToolBlock, withToolsAlike } from './tools-in-text.ts'

/** What the first system turn of a row says. */
export interface SystemText {
  readonly text: string
  /** The date that the template wrote (`26 Jul 2024`), null where there is none. */
  readonly date: string | null
  /** 16 hex digits over the text without that date, its tools as a person compares them (`withToolsAlike`). */
  readonly hash: string
  /** The same of the text without the lines that Llama's template begins it with for tools alone, though it may write these elsewhere; null without such lines. */
  readonly hashWithoutTools: string | null
  /** The same of the text as the template would have written it without tools; that of the whole text where it wrote none into it. */
  readonly hashBesideSchema: string
  readonly tools: ToolsInText | null
  /** It may describe tools, be it in words. */
  readonly speaksOfTools: boolean
}

/** Runs have few system texts and many rows: more than this many are not worth keeping. */
const MOST_KEPT = 64

const kept = new WeakMap<TokenTable, Map<string, SystemText>>()

const known = new OfLast<Segmentation, SystemText | null>()

/** The text of the system turn that a row begins with, decoded once for all rows that share it; null where none begins it. */
export function systemText(table: TokenTable, ids: Int32Array, segmentation: Segmentation): SystemText | null {
  let text = known.get(segmentation)
  if (text === undefined) {
    text = findSystemText(table, ids, segmentation)
    known.set(segmentation, text)
  }
  return text
}

/** Whether a system text is what the template writes where there is no system message, and no message has it. */
export function isDefaultSystem({ messages }: Trajectory, tokenizer: Tokenizer, text: string): boolean {
  const usual = learnedTemplateOf(tokenizer)?.defaultSystem?.trim() ?? ''
  return usual !== '' && text.trim() === usual && !messages?.some(({ content }) => content?.trim() === usual)
}

/** Whether two turns of a row hold the same ids. */
export function haveSameContent(ids: Int32Array, a: Turn, b: Turn): boolean {
  const length = a.contentEnd - a.contentStart
  if (b.contentEnd - b.contentStart !== length) return false
  for (let i = 0; i < length; i++) if (ids[a.contentStart + i] !== ids[b.contentStart + i]) return false
  return true
}

function findSystemText(table: TokenTable, ids: Int32Array, { turns, cutLeft }: Segmentation): SystemText | null {
  const turn = turns[0]
  if (cutLeft || turn === undefined || turn.kind !== 'system' || turn.header !== 'present') return null
  const key = hashOfNumbers(ids, turn.contentStart, turn.contentEnd, kernelWith(ids)).digest()
  let texts = kept.get(table)
  if (texts === undefined) {
    texts = new Map()
    kept.set(table, texts)
  }
  let found = texts.get(key)
  if (found === undefined) {
    if (texts.size >= MOST_KEPT) texts.clear()
    found = readSystemText(decodeSpan(table, ids, turn.contentStart, turn.contentEnd))
    texts.set(key, found)
  }
  return found
}

/** The hash of a system text that was decoded elsewhere. */
export function systemHashOf(text: string): string {
  return readSystemText(text).hash
}

const comparedTexts = new WeakMap<SystemText, Map<string, string>>()

/** What of a system text is compared between rollouts beside its hash. */
export function systemHashes(
  system: SystemText,
  messages: Trajectory['messages'],
): Pick<TrajectoryFacts, 'systemCompared' | 'systemWithoutTools'> {
  const systemCompared = comparedSystem(system, messages)
  const { hashWithoutTools } = system
  return hashWithoutTools === null ? { systemCompared } : { systemCompared, systemWithoutTools: hashWithoutTools }
}

/**
 * 16 hex digits over what a program does not make up anew for each rollout. A system message that stands in the text as the rollout's own messages
 * have it counts as any other that does, and words that hold a digit (times, paths, numbers of players) as any other such word.
 */
function comparedSystem(system: SystemText, messages: Trajectory['messages']): string {
  const first = messages?.[0]
  const message = (first !== undefined && roleKind(first.role) === 'system' ? first.content?.trim() : null) ?? ''
  let texts = comparedTexts.get(system)
  if (texts === undefined) {
    texts = new Map()
    comparedTexts.set(system, texts)
  }
  let found = texts.get(message)
  if (found === undefined) {
    if (texts.size >= MOST_KEPT) texts.clear()
    found = new Hash64().text(withNumbersAlike(withToolsAlike(withoutOwn(system, message)))).digest()
    texts.set(message, found)
  }
  return found
}

function withoutOwn({ text, date }: SystemText, message: string): string {
  const at = message === '' ? -1 : text.indexOf(message)
  const others = at < 0 ? text : `${text.slice(0, at)}\0${text.slice(at + message.length)}`
  return date === null ? others : others.replace(date, '')
}

/** Tools that stand in the text as JSON are left as they are: a number in them is part of what they take. */
function withNumbersAlike(text: string): string {
  return text.replace(/^(?![[{]+").*$/gm, (line) =>
    line.replace(/[\w./:+-]+/g, (word) => (/\d/.test(word) ? '0' : word)),
  )
}

/** Words without which no system text describes a tool; one that forbids them has them as well. */
const TOOLS = /\b(?:tools?|functions?|APIs?|actions?|i?python|interpreter|search)\b|tool_call|"parameters"\s*:/i

function readSystemText(text: string): SystemText {
  const date = /^Today Date: *(\S[^\n]*?) *$/m.exec(text.slice(0, 400))?.[1] ?? null
  const hashOf = (words: string) =>
    new Hash64().text(withToolsAlike(date === null ? words : words.replace(date, ''))).digest()
  const lines = LINES_FOR_TOOLS.exec(text)?.[0].length ?? 0
  const hash = hashOf(text)
  const beside = text.slice(lines)
  const hashWithoutTools = lines === 0 ? null : hashOf(beside)
  const own = withoutToolBlock(beside)
  return {
    text,
    date,
    hash,
    hashWithoutTools,
    hashBesideSchema: own === beside ? (hashWithoutTools ?? hash) : hashOf(own),
    tools: toolsInText(text),
    speaksOfTools: TOOLS.test(text),
  }
}

const LINES_FOR_TOOLS = /^Environment: ipython\n(?:Tools: [^\n]*\n+)?/
