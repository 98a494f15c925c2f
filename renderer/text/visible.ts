import { clipped } from '../../shared/model/clipped.ts'

/** A stretch of token text as it is drawn. `space` is drawn as itself with a dot laid under it. */
export interface Piece {
  readonly kind: 'plain' | 'space' | 'mark' | 'newline'
  readonly text: string
}

// What a reader cannot see or what changes how the text around it is read: controls, format characters (bidi, zero
// width, tags), line and paragraph separators, every space but the plain one, lone surrogates.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|[\p{Zs}--[ ]]/v
const HIDDEN_OR_SPACE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Zs}]/v

const NAMES: Readonly<Record<string, string>> = {
  '\n': '⏎',
  '\r': '␍',
  '\t': '⇥',
  '\u007f': '␡',
  '\u00a0': '⍽',
  '\u00ad': 'SHY',
  '\u200b': 'ZWSP',
  '\u200c': 'ZWNJ',
  '\u200d': 'ZWJ',
  '\u200e': 'LRM',
  '\u200f': 'RLM',
  '\u202a': 'LRE',
  '\u202b': 'RLE',
  '\u202c': 'PDF',
  '\u202d': 'LRO',
  '\u202e': 'RLO',
  '\u2066': 'LRI',
  '\u2067': 'RLI',
  '\u2068': 'FSI',
  '\u2069': 'PDI',
  '\ufeff': 'BOM',
}

/** Splits token text so that whitespace, control and bidi characters can be seen and can do nothing. */
export function pieces(text: string): Piece[] {
  if (!HIDDEN_OR_SPACE.test(text)) return text === '' ? [] : [{ kind: 'plain', text }]
  const found: Piece[] = []
  let plain = ''
  const flush = () => {
    if (plain !== '') found.push({ kind: 'plain', text: plain })
    plain = ''
  }
  for (const character of text) {
    if (character === ' ') {
      flush()
      const last = found.at(-1)
      if (last?.kind === 'space') found[found.length - 1] = { kind: 'space', text: `${last.text} ` }
      else found.push({ kind: 'space', text: ' ' })
    } else if (HIDDEN.test(character)) {
      flush()
      found.push({ kind: character === '\n' ? 'newline' : 'mark', text: markOf(character) })
    } else plain += character
  }
  flush()
  return found
}

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Nko}\p{Script=Syriac}\p{Script=Thaana}]/v

/** Whether any of it is written from the right. */
export function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text)
}

/** All blocks that Unicode keeps for what is written from the right, letters and digits, assigned or not. */
const RIGHT_TO_LEFT_BLOCKS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** False where nothing of a text can turn the direction of what stands beside it, once it is made visible. */
export function mayRunLeft(text: string): boolean {
  return RIGHT_TO_LEFT_BLOCKS.test(text)
}

/** What is hidden in running text, where spaces and line breaks do what they do. */
const MARKED = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Zs}]--[ \n]]/gv

/** Splits running text at its hidden characters alone, so that a page of it is one text and not one for each word. */
export function runs(text: string): Piece[] {
  const found: Piece[] = []
  let at = 0
  for (const { 0: character, index } of text.matchAll(MARKED)) {
    if (index > at) found.push({ kind: 'plain', text: text.slice(at, index) })
    found.push({ kind: 'mark', text: markOf(character) })
    at = index + character.length
  }
  if (at < text.length) found.push({ kind: 'plain', text: text.slice(at) })
  return found
}

/** The whole text with every hidden character spelt, for labels and tooltips. */
export function spelt(text: string): string {
  return pieces(text)
    .map(({ kind, text }) => (kind === 'mark' ? bracketed(text) : text))
    .join('')
}

/** An id or a name of a group, cut to so many characters, dots included; one in which there is nothing to see is said to be so. */
export function shownId(id: string, most = 300): string {
  if (id === '') return '(empty id)'
  return id.trim() === '' ? '(blank id)' : spelt(clipped(id, most))
}

/** Longer ids than this (characters) are no ids; a tooltip of all of one would hold up the page. */
export const WHOLE_ID = 2000

/** An id as a tooltip has it, where what it belongs to is cut. */
export function wholeId(id: string): string {
  return shownId(id, WHOLE_ID)
}

const UNSEEN = /[[\p{Cc}--[\t\n\r]]\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gv

/** What people write, as they wrote it but for controls and what turns the direction of the text beside it, which is spelt. */
export function upright(text: string): string {
  return text.replace(UNSEEN, (character) => bracketed(markOf(character)))
}

/** A name in letters, which no box tells from the letters beside it. */
function bracketed(mark: string): string {
  return /^[A-Z]/.test(mark) ? `⟨${mark}⟩` : mark
}

function markOf(character: string): string {
  const name = NAMES[character]
  if (name !== undefined) return name
  const code = character.codePointAt(0) as number
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

const WIDE =
  /[\p{Extended_Pictographic}\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]/v
const ZERO_WIDTH = /\p{M}/v

/** Columns of the characters that were met before, by code point, and one more than that: 0 where it is to be found out. */
const knownCells = new Uint8Array(0x110000)

/** Columns that one character takes in a fixed-width face, once it is made visible. */
export function cells(character: string): number {
  return cellsOf(character.codePointAt(0) as number)
}

/** The same by its code point. */
export function cellsOf(code: number): number {
  const known = knownCells[code] as number
  if (known > 0) return known - 1
  const found = findCells(String.fromCodePoint(code))
  knownCells[code] = found + 1
  return found
}

function findCells(character: string): number {
  if (HIDDEN.test(character)) return markOf(character).length
  if (ZERO_WIDTH.test(character)) return 0
  return WIDE.test(character) ? 2 : 1
}
