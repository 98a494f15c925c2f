import { partitionPoint } from '../../model/partition-point.ts'
import type { Segmentation } from '../../model/tokens.ts'

/** A stretch of a reply that stands between tags, the tags included. Half-open, in tokens. */
export interface TaggedSpan {
  readonly name: TagName
  readonly start: number
  readonly end: number
  /** False where the closing tag is not in the turn. */
  readonly closed: boolean
}

/** Tags by which models and environments lay out a reply. */
export const TAG_NAMES = ['think', 'answer', 'cite', 'tool_call', 'tool_response', 'search', 'information'] as const
export type TagName = (typeof TAG_NAMES)[number]

const TAG = new RegExp(`<(/?)(${TAG_NAMES.join('|')})(?:\\s[^<>]{0,200})?>`, 'g')

/** More than these would be no structure of a reply. */
const MOST = 20_000

/** The tagged stretches of the model's turns, by where they begin. An opening tag that is never closed reaches to the end of its turn. */
export function taggedSpans(
  text: string,
  textOffsets: Uint32Array,
  segmentation: Pick<Segmentation, 'turns'> | null,
): TaggedSpan[] {
  const found: TaggedSpan[] = []
  for (const turn of segmentation?.turns ?? []) {
    if (turn.kind !== 'assistant' && turn.kind !== 'tool') continue
    const from = textOffsets[turn.start] as number
    const open: { name: TagName; start: number }[] = []
    for (const match of text.slice(from, textOffsets[turn.contentEnd]).matchAll(TAG)) {
      if (found.length >= MOST) return found
      const name = match[2] as TagName
      const at = from + match.index
      if (match[1] === '') open.push({ name, start: tokenAt(textOffsets, at) })
      else {
        const begun = open.findLastIndex((tag) => tag.name === name)
        if (begun < 0) continue
        const { start } = open[begun] as (typeof open)[number]
        open.splice(begun)
        found.push({ name, start, end: tokenAt(textOffsets, at + match[0].length - 1) + 1, closed: true })
      }
    }
    for (const { name, start } of open) found.push({ name, start, end: turn.contentEnd, closed: false })
  }
  return found.sort((a, b) => a.start - b.start || b.end - a.end)
}

/** The token that a character stands in; the last that begins at or before it. */
function tokenAt(textOffsets: Uint32Array, character: number): number {
  return Math.max(0, partitionPoint(textOffsets.length - 1, (i) => (textOffsets[i] as number) <= character) - 1)
}
