import { TAG_NAMES, type TagName } from '../../../shared/session/rollout/tags.ts'

/** A stretch of a message: plain text, or what stands between two tags, the tags included. */
export interface TextPart {
  readonly tag: TagName | null
  readonly text: string
}

const TAGGED = new RegExp(`<(${TAG_NAMES.join('|')})(?:\\s[^<>]{0,200})?>`, 'g')

/**
 * Splits a text at its outermost tags. Nothing is lost or repeated.
 *
 * @param isReply whether a model or a tool wrote it: what it opens and never closes reaches to its end. Others merely name a tag.
 */
export function textParts(text: string, isReply = true): TextPart[] {
  const parts: TextPart[] = []
  let at = 0
  // A text that only names a tag, over and over, is not searched to its end for each.
  const unclosed = new Set<TagName>()
  for (const match of text.matchAll(TAGGED)) {
    if (match.index < at) continue
    const tag = match[1] as TagName
    const closing = `</${tag}>`
    const close = unclosed.has(tag) ? -1 : text.indexOf(closing, match.index)
    if (close < 0) unclosed.add(tag)
    if (close < 0 && !isReply) continue
    const end = close < 0 ? text.length : close + closing.length
    if (match.index > at) parts.push({ tag: null, text: text.slice(at, match.index) })
    parts.push({ tag, text: text.slice(match.index, end) })
    at = end
  }
  if (at < text.length) parts.push({ tag: null, text: text.slice(at) })
  return parts
}

/** A longer tagged stretch, or one of several lines, stands in a block of its own. */
const LONGEST_INLINE = 120

/** Parts in blocks: a long tagged stretch alone, everything between two of them together. */
export function textBlocks(text: string, isReply = true): TextPart[][] {
  const blocks: TextPart[][] = []
  let open: TextPart[] | null = null
  for (const part of textParts(text, isReply)) {
    if (part.tag !== null && isLong(part)) {
      blocks.push([part])
      open = null
    } else if (open === null) blocks.push((open = [part]))
    else open.push(part)
  }
  return blocks
}

/** Whether a block is one tagged stretch with a heading of its own. */
export function isTaggedBlock(block: readonly TextPart[]): boolean {
  const [only] = block
  return only !== undefined && only.tag !== null && isLong(only)
}

function isLong({ text }: TextPart): boolean {
  return text.length > LONGEST_INLINE || text.includes('\n')
}
