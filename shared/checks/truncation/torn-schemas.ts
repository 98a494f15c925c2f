import { partitionPoint } from '../../model/partition-point.ts'
import type { Span, Turn } from '../../model/tokens.ts'
import { tokenTexts } from '../../tokens/text.ts'
import type { TrajectoryView } from '../check.ts'
import { isJson } from '../is-json.ts'
import { type SystemText, systemText } from '../system-text.ts'

const known = new WeakMap<SystemText, TornLine | null>()

/** Of the system text: from which character on the line stands that two halves were glued in, and where it ends. */
type TornLine = Span

/**
 * The tokens of a schema among the tools of a system turn that is no JSON: what a cut glued of two halves. For rows that do not say what their prompt should
 * be; where messages and tools are known, the turn is held against what they render to.
 */
export function tornSchema(view: TrajectoryView, turn: Turn): Span | null {
  const { segmentation, tokenizer, ids, trajectory } = view
  if (turn.index !== 0 || turn.kind !== 'system' || segmentation === null || tokenizer === null) return null
  if (trajectory.messages !== null && trajectory.tools?.length) return null
  const system = systemText(tokenizer.table, ids, segmentation)
  if (system === null) return null
  let line = known.get(system)
  if (line === undefined) known.set(system, (line = tornLineOf(system.text)))
  if (line === null) return null
  const { textOffsets } = tokenTexts(tokenizer.table, ids.subarray(turn.contentStart, turn.contentEnd))
  const tokenAt = (character: number) =>
    turn.contentStart + partitionPoint(textOffsets.length - 1, (i) => (textOffsets[i + 1] as number) <= character)
  return { start: tokenAt(line.start), end: tokenAt(line.end - 1) + 1 }
}

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
