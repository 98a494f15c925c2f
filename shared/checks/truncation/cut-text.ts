import type { Thresholds } from '../../model/thresholds/registry.ts'
import { normalised } from '../texts/normalised-text.ts'

/** Where a text was cut: `middle` keeps both ends and loses what lay between them. */
export type CutSide = 'left' | 'right' | 'middle'

/**
 * What frameworks write where they cut a text: verl's `...(truncated)...`, OpenHands, SWE-agent, Codex and their like. Of what was left out
 * they say how much: people leave words out as well ("[citation omitted]").
 */
const MARKERS =
  /\[[^\]\n]{0,40}(?<!\d,?)\d[\d,]{0,15} (?:characters|chars|bytes|tokens|words|lines|of \d+ lines)\b[^\]\n]{0,20}(?:omitted|elided|removed)\b[^\]\n]{0,40}\]|\[[^\]\n]{0,20}omitted \d[^\]\n]{0,60}\]|\.\.\.\s?\(truncated\)(?:\s?\.\.\.)?|\(truncated\)\s?\.\.\.|[<[]response clipped[>\]]|\[(?:\.\.\.\s?)?(?:\w+ ){0,3}truncated\b[^\]\n]{0,80}\]/giu

export interface CutMarker {
  readonly text: string
  /** Characters before and after it. */
  readonly before: number
  readonly after: number
}

/** The first marker in a text; null where there is none. A text that merely speaks of truncation, or quotes a marker, has none. */
export function findMarker(text: string): CutMarker | null {
  for (const { 0: marker, index } of text.matchAll(MARKERS)) {
    const past = index + marker.length
    if (!isQuoted(text.slice(Math.max(0, index - BESIDE), index), marker, text.slice(past, past + BESIDE))) {
      return { text: marker, before: index, after: text.length - past }
    }
  }
  return null
}

/** Characters beside a marker that are looked at. */
const BESIDE = 80

/**
 * Whether a sentence goes on around it, or it stands between quotes: a document about markers has them as words. What a framework writes ends a line, has one
 * to itself, is joined to the halves without a blank or with dots, or says how much was left out. Halves that blanks join have one length (`reply-pile.ts`).
 */
function isQuoted(before: string, marker: string, after: string): boolean {
  if (/\d/.test(marker)) return false
  if (/["'`\u201c\u2018]$/u.test(before) && /^["'`\u201d\u2019]/u.test(after)) return true
  if (/\.\.|\u2026/u.test(marker) || /(?:\.\.|\u2026)\s*$/u.test(before) || /^\s*(?:\.\.|\u2026)/u.test(after))
    return false
  return /[^\s][^\S\n]+\(?$/u.test(before) && /^[.,;:)]?[^\S\n]+[^\s]/u.test(after)
}

/**
 * Whether `visible` is `whole` without its end, its start, or its middle, and what is missing; null where it is whole or another
 * text altogether. White space and punctuation are not compared, because templates change them; `lost` is therefore without them.
 */
export function findCut(
  visible: string,
  whole: string,
  thresholds: Thresholds,
): { readonly side: CutSide; readonly lost: string } | null {
  const { 'cut-visible-characters': leastVisible, 'cut-lost-characters': leastLost } = thresholds
  const marker = findMarker(visible)
  // What a tool cut before it was written down is nowhere whole.
  if (marker !== null && whole.includes(marker.text)) return null
  const parts =
    marker === null ? [visible] : [visible.slice(0, marker.before), visible.slice(visible.length - marker.after)]
  const [head = '', tail = ''] = parts.map(normalised)
  const full = normalised(whole)
  if (head.length + tail.length < leastVisible || full.length - head.length - tail.length < leastLost) return null
  if (marker !== null) {
    if (!full.startsWith(head) || !full.endsWith(tail)) return null
    const side = head === '' ? 'left' : tail === '' ? 'right' : 'middle'
    return { side, lost: full.slice(head.length, full.length - tail.length).trim() }
  }
  if (full.startsWith(head)) return { side: 'right', lost: full.slice(head.length).trim() }
  if (full.endsWith(head)) return { side: 'left', lost: full.slice(0, -head.length).trim() }
  let start = 0
  while (start < head.length && head[start] === full[start]) start++
  const end = head.length - start
  // The seam may fall inside a word or between two: one of the halves then lost its blank.
  if (start < leastLost || end < leastLost || !full.endsWith(head.slice(start).trimStart())) return null
  return { side: 'middle', lost: full.slice(start, full.length - end).trim() }
}
