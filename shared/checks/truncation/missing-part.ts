import { firstReply, roleKind } from '../../model/roles.ts'
import type { Turn } from '../../model/tokens.ts'
import { toolShapes } from '../../model/tool-schema.ts'
import type { Message, Trajectory } from '../../model/trajectory.ts'
import { rerender } from '../../tokens/template/rerender.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { encoded } from '../texts/encoded.ts'
import { isJson } from '../texts/is-json.ts'
import { KeptTexts } from '../texts/kept-texts.ts'
import { normalised } from '../texts/normalised-text.ts'
import { type CutSide, findCut } from './cut-text.ts'

/** As `findCut` tells it. */
type Cut = NonNullable<ReturnType<typeof findCut>>

export interface MissingPart {
  readonly side: CutSide
  readonly lost: string
  readonly lostTokens: number | null
  /** It is not lost: a control token that the message spells ended the turn (T15), and the rest follows. */
  readonly standsBehind: boolean
}

const known = new OfLast<TrajectoryView, Map<Turn, MissingPart | null>>()

/**
 * What a system or user turn of the prompt lacks of its message; null where it lacks nothing, or where no message is known to be its own. Found out once
 * for a turn.
 */
export function missingPart(view: TrajectoryView, turn: Turn): MissingPart | null {
  if (turn.kind !== 'user' && turn.kind !== 'system') return null
  let ofTurns = known.get(view)
  if (ofTurns === undefined) known.set(view, (ofTurns = new Map()))
  let part = ofTurns.get(turn)
  if (part === undefined) ofTurns.set(turn, (part = findMissing(view, turn)))
  return part
}

/** The messages before the first reply: of a conversation, or those that are stored of the prompt alone. */
export function promptMessages({ messages, asked }: Pick<Trajectory, 'messages' | 'asked'>): readonly Message[] {
  const all = messages ?? asked ?? []
  const reply = firstReply(all)
  return reply < 0 ? all : all.slice(0, reply)
}

function findMissing(view: TrajectoryView, turn: Turn): MissingPart | null {
  const asked =
    view.segmentation?.turns.filter(({ kind, index }) => kind === turn.kind && index < turn.index).length ?? 0
  const prompt = promptMessages(view.trajectory)
  const { content } = prompt.filter(({ role }) => roleKind(role) === turn.kind)[asked] ?? {}
  const { 'cut-shorter-characters': shorter } = view.thresholds
  if (asked === 0 && turn.kind === 'system') {
    const part = missingAmongTools(view, turn, prompt, content ?? '')
    if (part !== null) return part
  }
  if (!content || content.length < shorter) return null
  if (asked === 0 && turn.kind === 'user') {
    const part = missingBesideTools(view, turn, content)
    if (part !== null) return part
  }
  // A token is rarely longer than this many characters on average: most turns are decided without decoding.
  if (turn.contentEnd - turn.contentStart > content.length) return null
  const text = view.text({ start: turn.contentStart, end: turn.contentEnd })
  if (text.length + shorter > content.length) return null
  const cut = findCut(text, content, view.thresholds)
  return cut === null ? null : partOf(view, turn, cut)
}

/** Characters of the rest of a message by which it is known. */
const TOLD_BY = 40

function standsBehind(view: TrajectoryView, { contentEnd }: Turn, { side, lost }: Cut): boolean {
  const rest = lost.slice(0, TOLD_BY)
  if (side !== 'right' || rest === '') return false
  const behind = view.text({ start: contentEnd, end: Math.min(view.ids.length, contentEnd + TOLD_BY) })
  return normalised(behind).trimStart().startsWith(rest)
}

/** A question that stands behind the schemas of tools in one turn (Llama), where the end of it, the middle of both or that of the schemas is gone. */
function missingBesideTools(view: TrajectoryView, turn: Turn, question: string): MissingPart | null {
  const { tokenizer, trajectory } = view
  const { tools } = trajectory
  if (tokenizer === null || !tools?.length) return null
  const text = view.text({ start: turn.contentStart, end: turn.contentEnd })
  if (text.length <= question.length / 2) return null
  const before = text.lastIndexOf(question.trim())
  if (before >= 0 && !haveTornBlock(text.slice(0, before), tools)) return null
  const header = view.text({ start: turn.start, end: turn.headerEnd })
  for (const shape of toolShapes(tools)) {
    const rendered = rerender(tokenizer, promptMessages(trajectory), shape)
    const at = rendered?.lastIndexOf(question.trim()) ?? -1
    const start = at < 0 || header === '' ? -1 : (rendered as string).lastIndexOf(header, at)
    if (start < 0 || start + header.length === at) continue
    const whole = (rendered as string).slice(start + header.length, at + question.trim().length)
    const cut = findCut(text, whole, view.thresholds)
    // A turn that begins with the question was never given the schemas, which is T07.
    if (cut !== null && cut.side !== 'left' && (before < 0 || cut.side === 'middle')) return partOf(view, turn, cut)
  }
  return null
}

/**
 * A system turn with the schemas of tools in it (Qwen), of which the middle is gone, or all that was between it and the end of the question. Rendered again
 * only where the text shows it: that of its message is not there, a schema is no JSON, what is between the tags of the schemas is none, or there are fewer
 * of them than tools. Where those that are left are
 * whole the others were never rendered, which is another fault (T07).
 */
function missingAmongTools(
  view: TrajectoryView,
  turn: Turn,
  prompt: readonly Message[],
  system: string,
): MissingPart | null {
  const { tokenizer, trajectory, segmentation } = view
  const { tools } = trajectory
  if (tokenizer === null || segmentation === null || turn.endToken < 0 || !tools?.length) return null
  const text = view.text({ start: turn.contentStart, end: turn.contentEnd })
  const { schemas, areTorn } = schemasOf(text, tools)
  const isTorn = areTorn || !text.includes(system.trim())
  if (!isTorn && (schemas.length === 0 || schemas.length >= tools.length)) return null
  for (const shape of toolShapes(tools)) {
    const cut = cutOfRendered(view, { turn, text }, rerender(tokenizer, prompt, shape), prompt, isTorn ? null : schemas)
    if (cut !== null) return partOf(view, turn, cut)
  }
  return null
}

/** @param schemas that are whole: where they are those of the prompt as it is rendered, the others were never rendered. Null where one is torn. */
function cutOfRendered(
  view: TrajectoryView,
  { turn, text }: { readonly turn: Turn; readonly text: string },
  rendered: string | null,
  prompt: readonly Message[],
  schemas: readonly string[] | null,
): ReturnType<typeof findCut> {
  const header = view.text({ start: turn.start, end: turn.headerEnd })
  const at = rendered === null || header === '' ? -1 : rendered.indexOf(header)
  if (rendered === null || at < 0) return null
  if (schemas?.every((line) => rendered.includes(line))) return null
  const start = at + header.length
  const ownEnd = rendered.indexOf(view.text({ start: turn.endToken, end: turn.endToken + 1 }), start)
  const question = prompt.findLast(({ role }) => roleKind(role) === 'user')?.content?.trim() ?? ''
  const isAsked = view.segmentation?.turns[turn.index + 1]?.kind === 'user'
  const asked = isAsked || question === '' ? -1 : rendered.lastIndexOf(question)
  const wholes = [
    ...(ownEnd < 0 ? [] : [rendered.slice(start, ownEnd)]),
    ...(asked < start ? [] : [rendered.slice(start, asked + question.length)]),
  ]
  for (const whole of wholes) {
    const cut = findCut(text, whole, view.thresholds)
    if (cut?.side === 'middle') return cut
  }
  return null
}

/** Schemas in a text, a line each, and whether one of them is torn beside the tools of this JSON. */
interface Schemas {
  tools: string | null
  schemas: readonly string[]
  areTorn: boolean
}

/** Rollouts of a run have few system turns, and with each of them one list of tools. */
const kept = new KeptTexts<Schemas>(64)

function schemasOf(text: string, tools: readonly unknown[]): Schemas {
  const json = jsonOf(tools)
  const found = kept.of(text, () => examineSchemas(text, tools, json))
  if (json === null || found.tools !== json) Object.assign(found, examineSchemas(text, tools, json))
  return found
}

function examineSchemas(text: string, tools: readonly unknown[], json: string | null): Schemas {
  const schemas = text.split('\n').filter((line) => SCHEMA_START.test(line))
  const texts = textsIn(toolShapes(tools))
  const areTorn = schemas.length === 0 ? isTornList(text) : schemas.some((line) => isTornSchema(line, texts))
  return { tools: json, schemas, areTorn }
}

/**
 * Of the tags around schemas one is gone, or what stands between them, glued to other words, is no JSON. Between those of an empty list stands nothing
 * (T07). Templates speak of both tags in a line before.
 */
function isTornList(text: string): boolean {
  const [open, close] = [/^<tools>$/m.exec(text), /^<\/tools>$/m.exec(text)]
  if (open === null || close === null) return /<\/?tools>/.test(text)
  const list = text.slice(open.index + open[0].length, close.index).trim()
  return list !== '' && !isJson(list)
}

const tornBlocks = new KeptTexts<Pick<Schemas, 'tools' | 'areTorn'>>(64)

/** Whether of the schemas before a question, each of several lines between braces that stand alone, one lacks a brace or is torn. */
function haveTornBlock(text: string, tools: readonly unknown[]): boolean {
  const json = jsonOf(tools)
  const find = () => ({ tools: json, areTorn: isTornBlock(text, tools) })
  const found = tornBlocks.of(text, find)
  if (json === null || found.tools !== json) Object.assign(found, find())
  return found.areTorn
}

function isTornBlock(text: string, tools: readonly unknown[]): boolean {
  const blocks: string[] = []
  const lines = text.split('\n')
  let [open, braces] = [-1, 0]
  for (const [at, line] of lines.entries()) {
    if (line !== '{' && line !== '}') continue
    braces++
    if (line === '{') open = open < 0 ? at : open
    else if (open >= 0) {
      blocks.push(lines.slice(open, at + 1).join('\n'))
      open = -1
    }
  }
  if (braces !== 2 * blocks.length) return true
  const texts = textsIn(toolShapes(tools))
  return blocks.some((block) => isTornSchema(block, texts))
}

const written = new OfLast<readonly unknown[], string | null>()

/** Null where there is none, of what other formats hold. The system turn and the question ask for it. */
function jsonOf(tools: readonly unknown[]): string | null {
  let json = written.get(tools)
  if (json === undefined) written.set(tools, (json = toJson(tools)))
  return json
}

function toJson(tools: readonly unknown[]): string | null {
  try {
    return JSON.stringify(tools)
  } catch {
    return null
  }
}

/** How the schema of a tool in one line begins, and what templates show as the form of a call (`{"name": <function-name>, …`) does not. */
const SCHEMA_START = /^\{"\w+":\s?["[{]/

/** No JSON, or with a text that no tool has: of two halves that are JSON again, one text is glued of two. Fields that are left out leave no such text. */
function isTornSchema(line: string, known: ReadonlySet<string>): boolean {
  try {
    return [...textsIn(JSON.parse(line))].some((text) => !known.has(text))
  } catch {
    return true
  }
}

/** All texts in a value, names of fields with them. */
function textsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') found.add(value)
  else if (Array.isArray(value)) for (const each of value) textsIn(each, found)
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) textsIn(each, found.add(name))
  return found
}

function partOf(view: TrajectoryView, turn: Turn, { side, lost }: Cut): MissingPart {
  const lostTokens = view.tokenizer === null ? null : (encoded(view.tokenizer, lost)?.length ?? null)
  return { side, lost, lostTokens, standsBehind: standsBehind(view, turn, { side, lost }) }
}
