import { TokenFlag } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { cells, cellsOf } from '../../text/visible.ts'
import { tokenText } from './token-text.ts'

/** In place of a width: the token holds a newline. */
export const ENDS_LINE = -1

const NEWLINE = 0x0a
/** What does not take one column for each character, newlines among it. */
const ODD = /[^\x20-\x7e]/g

type Texts = Pick<TrajectoryDetail, 'ids' | 'text' | 'textOffsets' | 'flags'>

/** Where the next character stands that does not take one column; behind the text where there is none. */
export function nextOdd(text: string, from: number): number {
  // In most scripts the next character is one as well.
  const code = text.charCodeAt(from)
  if (code < 0x20 || code > 0x7e) return from
  ODD.lastIndex = from
  return ODD.test(text) ? ODD.lastIndex - 1 : text.length
}

/** Columns that a token takes as it is drawn, or `ENDS_LINE`. */
export function tokenWidth(detail: Texts, token: number): number {
  const { text, textOffsets } = detail
  const from = textOffsets[token] as number
  const to = textOffsets[token + 1] as number
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code > 0x7e) return oddWidth(detail, token, from, to)
  }
  return to > from ? to - from : oddWidth(detail, token, from, to)
}

function oddWidth(detail: Texts, token: number, from: number, to: number): number {
  if (to === from + 1) {
    // One sign: in many scripts most tokens are.
    const code = detail.text.charCodeAt(from)
    return code === NEWLINE ? ENDS_LINE : cellsOf(code)
  }
  const text = tokenText(detail, token)
  let width = 0
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) as number
    if (code === NEWLINE) return ENDS_LINE
    width += cellsOf(code)
    at += code > 0xffff ? 2 : 1
  }
  return width
}

/** The columns that a token needs on its first line, its newline included. */
export function firstWidth(text: string): number {
  let width = 0
  for (const character of text) {
    width += cells(character)
    if (character === '\n') break
  }
  return width
}

/** Whether there are tokens that are drawn as something though they spell nothing: no character of the text tells of them. */
export function hasSilent({ flags }: Pick<Texts, 'flags'>): boolean {
  // Looked for as bytes: by the bits of each token it would take as long as everything else. None of them begins inside a character or is unknown.
  for (let others = 0; others < TokenFlag.startsInsideCharacter; others++)
    if (flags.includes(TokenFlag.silent | others)) return true
  return false
}

/** The next such token from `from` on; behind the last token where there is none. */
export function nextSilent({ flags }: Pick<Texts, 'flags'>, from: number): number {
  let token = from
  while (token < flags.length && ((flags[token] as number) & TokenFlag.silent) === 0) token++
  return token
}
