import type { Span } from '../model/tokens.ts'
import { frameLookup, Mark } from './frame-lookup.ts'
import { firstOf } from './id-set.ts'
import { AFTER_CALL, SPLICES } from './spans.ts'
import { type FoundTag, findTag } from './tags.ts'
import { decodeSpan } from './text.ts'
import type { Tokenizer } from './tokenizer.ts'

/** A reply between tags, those included; `inside` are its tokens without them. */
export interface UnframedReply extends Span {
  readonly inside: Span
}

/**
 * Replies that an environment spliced between paired tags into a sequence without turns, as that of a base model is. Only what stands behind a call is one:
 * a prompt that explains the tags spells them as well, and so does a model that makes replies up.
 */
export function unframedReplies(
  ids: Int32Array,
  { table, frame }: Pick<Tokenizer, 'table' | 'frame'>,
  { start, end }: Span,
): UnframedReply[] {
  const lookup = frameLookup({ table, frame })
  const replies: UnframedReply[] = []
  if (lookup === null) return replies
  let open: FoundTag | null = null
  let at = firstOf(lookup.stopsAndTags, ids, start, end)
  while (at < end) {
    const mayOpen = ((lookup.marks[ids[at] as number] ?? 0) & Mark.tag) !== 0
    const tag: FoundTag | null = mayOpen ? findTag(table, lookup.tags, ids, at, end) : null
    if (tag !== null && SPLICES.has(tag.name)) {
      // One that no tag closes before the next call was cut: where it ends nothing tells.
      if (tag.open && AFTER_CALL.test(textBefore(tag, ids, table, start))) open = tag
      else if (open !== null && !tag.open && tag.name === open.name) {
        if (tag.start > open.end)
          replies.push({ start: open.start, end: tag.end, inside: { start: open.end, end: tag.start } })
        open = null
      }
    }
    at = firstOf(lookup.stopsAndTags, ids, at + 1, end)
  }
  return replies
}

/** Tokens before a tag in which the call ends. */
const NEAR = 12

function textBefore(tag: FoundTag, ids: Int32Array, table: Tokenizer['table'], start: number): string {
  const first = ids[tag.start] as number
  const from = table.offsets[first] as number
  const head = new TextDecoder().decode(table.bytes.subarray(from, from + tag.byte))
  return decodeSpan(table, ids, Math.max(start, tag.start - NEAR), tag.start) + head
}
