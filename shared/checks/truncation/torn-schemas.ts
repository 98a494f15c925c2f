import { partitionPoint } from '../../model/partition-point.ts'
import type { Span, Turn } from '../../model/tokens.ts'
import { tokenTexts } from '../../tokens/text.ts'
import type { TrajectoryView } from '../check.ts'
import { isJson } from '../texts/is-json.ts'
import { KeptTexts } from '../texts/kept-texts.ts'
import { type SystemText, systemText } from '../texts/system-text.ts'
import { promptMessages } from './missing-part.ts'

const known = new WeakMap<SystemText, TornLine | null>()

/** Of the system text: from which character on the line stands that two halves were glued in, and where it ends. */
type TornLine = Span

/**
 * The tokens of a schema among the tools of a prompt that is no JSON: what a cut glued of two halves. Templates write schemas into the system turn, or before
 * the question. For rows that do not say what their prompt should be; where messages and tools are known, the turn is held against what they render to.
 */
export function tornSchema(view: TrajectoryView, turn: Turn): Span | null {
  const { tokenizer, ids, trajectory } = view
  if (tokenizer === null || (trajectory.tools?.length && promptMessages(trajectory).length > 0)) return null
  const line = turn.kind === 'system' ? tornInSystem(view, turn) : tornInQuestion(view, turn)
  if (line === null) return null
  const { textOffsets } = tokenTexts(tokenizer.table, ids.subarray(turn.contentStart, turn.contentEnd))
  const tokenAt = (character: number) =>
    turn.contentStart + partitionPoint(textOffsets.length - 1, (i) => (textOffsets[i + 1] as number) <= character)
  return { start: tokenAt(line.start), end: tokenAt(line.end - 1) + 1 }
}

function tornInSystem({ segmentation, tokenizer, ids }: TrajectoryView, turn: Turn): TornLine | null {
  if (turn.index !== 0 || segmentation === null || tokenizer === null) return null
  const system = systemText(tokenizer.table, ids, segmentation)
  if (system === null) return null
  let line = known.get(system)
  if (line === undefined) known.set(system, (line = tornLineOf(system.text) ?? tornBeforeTag(system.text)))
  return line
}

/** How Llama's template begins a question that has the schemas before it, and tokens that hold as much. */
const BEFORE_SCHEMAS = 'Given the following functions'
const BEFORE_SCHEMAS_TOKENS = 8

function tornInQuestion(view: TrajectoryView, { kind, contentStart, contentEnd }: Turn): TornLine | null {
  if (kind !== 'user') return null
  const start = view.text({ start: contentStart, end: Math.min(contentEnd, contentStart + BEFORE_SCHEMAS_TOKENS) })
  if (!start.startsWith(BEFORE_SCHEMAS)) return null
  return blocks.of(view.text({ start: contentStart, end: contentEnd }), (text) => ({ torn: tornBlockOf(text) })).torn
}

const blocks = new KeptTexts<{ readonly torn: TornLine | null }>(64)

/**
 * Each schema stands between two braces on lines of their own, and the question behind them. A block that is no JSON was torn, and so was one that closes
 * before any opens. What begins with no name in quotes is no schema: a question may hold code.
 */
function tornBlockOf(text: string): TornLine | null {
  const first = /^[{}]$/m.exec(text)
  if (first === null) return null
  if (first[0] === '}') {
    const before = text.slice(0, first.index)
    const isTail = FIELD.test(before) || (INTO_CLOSING.test(before) && !before.includes(LAST_BEFORE_SCHEMAS))
    return isTail ? { start: first.index, end: first.index + 1 } : null
  }
  let start = first.index
  while (BLOCK.test(text.slice(start, start + LONGEST_INDENT))) {
    const closing = text.indexOf('\n}', start)
    const end = closing < 0 ? text.length : closing + 2
    if (closing < 0 || !isJson(text.slice(start, end))) return { start, end }
    start = end
    while (text[start] === '\n') start++
  }
  return null
}

/** The template's words before the schemas that go on with brackets, and what it ends these words with: where that is gone, the brackets are those of a schema. */
const INTO_CLOSING = /^Given the following functions, please respond with a JSON for a function call[\s\S]*[}\]]\s*$/
const LAST_BEFORE_SCHEMAS = 'Do not use variables.'
const FIELD = /^\s+"(?:type|name|description|parameters|properties|required)": /m
const BLOCK = /^\{\n\s+"/
/** Characters within which a block shows its first name. */
const LONGEST_INDENT = 64

/** How the schema of a tool in one line begins, as templates write it. */
const SCHEMA = /^\{"type": ?"function", ?"function": ?\{/

/**
 * Templates write each schema on a line of its own between two tags on theirs. A line that begins as one does and is no JSON was torn, whether its own end
 * follows or other words; one that goes on in the next line was written otherwise.
 */
function tornLineOf(text: string): TornLine | null {
  const open = /^<tools>$/m.exec(text)
  if (open === null) return null
  let start = open.index + open[0].length + 1
  while (start < text.length) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const line = text.slice(start, end)
    if (line === '</tools>') return null
    if (SCHEMA.test(line) && endsHere(text, end) && !isJson(line.replace(/,$/, ''))) return { start, end }
    start = end + 1
  }
  return null
}

/** The line behind it does not go on with JSON, as that of an object over several lines does. */
function endsHere(text: string, end: number): boolean {
  return !/^(?:[^\S\n]+\S|["}\]])/.test(text.slice(end + 1, end + 64))
}

/** The tag behind the schemas without that before them: it is gone, and of a schema only the end stands there, glued to other words. */
function tornBeforeTag(text: string): TornLine | null {
  const close = /^<\/tools>$/m.exec(text)
  // Templates speak of both tags in a line before.
  if (close === null || /<tools>(?!<\/tools>)/.test(text.slice(0, close.index))) return null
  for (let end = close.index - 1; end > 0; ) {
    const start = text.lastIndexOf('\n', end - 1) + 1
    const line = text.slice(start, end)
    if (!/[}\]]$/.test(line)) return null
    if (!isJson(line)) return { start, end }
    // One that is whole, behind that of which the end is left.
    end = start - 1
  }
  return null
}
