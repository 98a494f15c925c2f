import { KeptTexts } from './kept-texts.ts'
import { COMBINING, normalised } from './normalised-text.ts'

/** What of a document is looked for, and by what a text can be told to hold it without being normalised as a whole. */
export interface Passage {
  /** The document, normalised; empty where it has no words. */
  readonly whole: string
  /** Its beginning and its end, normalised; what must be in a normalised text. */
  readonly edges: readonly string[]
  /** Texts each of which, written anywhere, brings all edges with it. */
  readonly asWritten: readonly string[]
  /** Words of the edges, the longest first. */
  readonly words: readonly string[]
}

/** Rollouts of one group share their documents. */
const MOST_KEPT = 256

let kept = new KeptTexts<Passage>(MOST_KEPT)
let keptEdge = 0

/** The document as it is looked for: by `edge` characters of its beginning and its end. */
export function passageOf(document: string, edge: number): Passage {
  if (keptEdge !== edge) kept = new KeptTexts(MOST_KEPT)
  keptEdge = edge
  return kept.of(document, (text) => readPassage(text, edge))
}

function readPassage(document: string, edge: number): Passage {
  const whole = normalised(document)
  const edges = [...new Set([whole.slice(0, edge), whole.slice(-edge)])]
  const trimmed = fromWordToWord(document)
  const quoted = JSON.stringify(trimmed).slice(1, -1)
  const asWritten = [trimmed, quoted].filter(
    (text, index, all) => all.indexOf(text) === index && standsAlone(text) && bringsAll(text, edges),
  )
  const words = new Set(edges.flatMap((text) => text.match(/[A-Za-z0-9]{4,}/g) ?? []))
  return { whole, edges, asWritten, words: [...words].sort((a, b) => b.length - a.length) }
}

/** The text without what stands before its first letter or digit and behind its last. A half of a pair counts as one. */
function fromWordToWord(text: string): string {
  const isWord = (at: number) => /[\p{L}\p{N}\p{Surrogate}]/u.test(text.charAt(at))
  let start = 0
  let end = text.length
  while (start < end && !isWord(start)) start++
  while (end > start && !isWord(end - 1)) end--
  return text.slice(start, end)
}

function bringsAll(text: string, edges: readonly string[]): boolean {
  const own = normalised(text)
  return edges.every((edge) => own.includes(edge))
}

/** Characters of an escape, `\u005c`. */
const ESCAPE = 6
/** An escape that goes on behind the text, or one that spells the backslash of another. */
const GOES_ON = /\\(?:u[0-9a-fA-F]{0,3}|u005[cC])?$/

/** Whether what stands behind a text cannot change how it is normalised, if that is no combining character, and what stands before it, if that is no escape. */
function standsAlone(text: string): boolean {
  return text !== '' && text.charCodeAt(0) < COMBINING && !GOES_ON.test(text.slice(-ESCAPE))
}

/**
 * Whether a part stands in a text letter by letter, and so that the part, normalised, is in the text, normalised. False says nothing: the
 * two may still hold the same words.
 */
export function isWrittenOut(text: string, part: string): boolean {
  const written = fromWordToWord(part)
  // Escapes and what combines with the last letter make other words of the part than of what is looked for.
  if (part.includes('\\') || !standsAlone(written)) return false
  return !(part.charCodeAt(part.indexOf(written) + written.length) >= COMBINING) && standsIn(text, written)
}

/** Whether a text that stands alone is in another as it is, where what is around it does not change how it is normalised. */
function standsIn(text: string, written: string): boolean {
  const at = text.indexOf(written)
  if (at < 0) return false
  const after = at + written.length
  if (after < text.length && (text.charCodeAt(after) >= COMBINING || text.startsWith('\\u', after))) return false
  return !GOES_ON.test(text.slice(Math.max(0, at - ESCAPE), at))
}

/** A text in which documents are looked for as both are normalised; itself it is only where nothing less decides. */
export class SearchedText {
  private normalisedText: string | null = null
  private spelt: boolean | null = null

  constructor(private readonly text: string) {}

  /** Whether the beginning and the end of the passage are in the text. */
  holds(passage: Passage): boolean {
    const lacks = (word: string) => !this.text.includes(word)
    if (passage.words.slice(0, 1).some(lacks) && this.isSpelt()) return false
    if (passage.asWritten.some((written) => standsIn(this.text, written))) return true
    if (passage.words.some(lacks) && this.isSpelt()) return false
    this.normalisedText ??= normalised(this.text)
    const own = this.normalisedText
    return passage.edges.every((edge) => own.includes(edge))
  }

  /** Words of ASCII in the normalised text are in the text itself: nothing spells their characters otherwise (U+212A is a K). */
  private isSpelt(): boolean {
    this.spelt ??= !this.text.includes('\\u') && !this.text.includes('\u212a')
    return this.spelt
  }
}
