import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { cellsOf } from '../../text/visible.ts'
import { TokenFlag, tokenText } from './token-text.ts'

/** In place of a width: the token holds a newline, or is as wide as this or wider. */
export const LOOK_CLOSER = 255

const NEWLINE = 0x0a
/** What does not take one column for each character, newlines among it. */
const ODD = /[^\x20-\x7e]/g

/** Tokens that are looked at in one call. */
const AT_ONCE = 64

type Texts = Pick<TrajectoryDetail, 'ids' | 'text' | 'textOffsets' | 'flags'>

/** Kept for as long as the rollout is: its lines are broken anew whenever the window gets another width. */
const known = new WeakMap<Texts, Uint8Array>()

/**
 * Columns that each token takes as it is drawn, or `LOOK_CLOSER`. It is asked for the first picture: characters are looked
 * at by a regular expression, which is quick from the first one on, and tokens by a function that is called often enough
 * to be compiled. One loop over all of them would have run before it was.
 */
export function tokenWidths(detail: Texts): Uint8Array {
  let widths = known.get(detail)
  if (widths === undefined) known.set(detail, (widths = measure(detail)))
  return widths
}

function measure(detail: Texts): Uint8Array {
  const widths = new Uint8Array(detail.ids?.length ?? 0)
  let odd = nextOdd(detail.text, 0)
  for (let from = 0; from < widths.length; from += AT_ONCE) {
    odd = measureSome(detail, widths, from, Math.min(widths.length, from + AT_ONCE), odd)
  }
  return widths
}

/** `odd` is where the next odd character stands from the first of these tokens on; returned is the same for those behind them. */
function measureSome(detail: Texts, widths: Uint8Array, from: number, to: number, odd: number): number {
  const { text, textOffsets, flags } = detail
  let next = odd
  let start = textOffsets[from] as number
  for (let token = from; token < to; token++) {
    const end = textOffsets[token + 1] as number
    const isPlain = end <= next && end > start && ((flags[token] as number) & TokenFlag.unknown) === 0
    widths[token] = isPlain ? Math.min(LOOK_CLOSER, end - start) : widthOf(detail, token)
    if (end > next) next = nextOdd(text, end)
    start = end
  }
  return next
}

/** Where the next odd character stands; behind the text where there is none. */
function nextOdd(text: string, from: number): number {
  // In most scripts the next character is one as well.
  const code = text.charCodeAt(from)
  if (code < 0x20 || code > 0x7e) return from
  ODD.lastIndex = from
  return ODD.test(text) ? ODD.lastIndex - 1 : text.length
}

function widthOf(detail: Texts, token: number): number {
  const text = tokenText(detail, token)
  let width = 0
  for (let at = 0; at < text.length; ) {
    const code = text.codePointAt(at) as number
    if (code === NEWLINE) return LOOK_CLOSER
    width += cellsOf(code)
    at += code > 0xffff ? 2 : 1
  }
  return Math.min(LOOK_CLOSER, width)
}
