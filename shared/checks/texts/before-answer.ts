import { Provenance, type Segmentation, type Span, type Turn } from '../../model/tokens.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import { answerTurn } from '../oracles/edges.ts'
import { countOf } from '../oracles/spans.ts'
import { wordsInside } from './words-inside.ts'

type Written = Pick<PreparedTokens, 'tokenizer' | 'mask' | 'provenance' | 'text'>

/** The last words of the model, with the index of the turn that they stand in. */
interface LastWords extends Span {
  readonly index: number
}

/**
 * What the model wrote last: its last turn, or words behind that which lost their header (T05), and so stand at the end of a turn of another or behind a
 * header without a role.
 */
export function lastWords(segmentation: Segmentation, written: Written): LastWords | undefined {
  const { turns } = segmentation
  const own = answerTurn(segmentation)
  for (let index = turns.length - 1; index > (own?.index ?? -1); index--) {
    const turn = turns[index] as Turn
    const inside = wordsInside(written, turn)
    if (inside !== null) return { ...inside, index }
    if (turn.kind === 'other' && turn.role === '' && turn.header === 'present' && isWritten(written, turn) === true)
      return { start: turn.contentStart, end: turn.end, index }
  }
  return own === undefined ? undefined : { start: own.contentStart, end: own.end, index: own.index }
}

/** What the environment wrote before the model's last words (or before the turn in which the row is cut), and what nothing of the model's follows. */
export function environmentTexts(
  segmentation: Segmentation,
  written: Written,
): { readonly seen: string; readonly unanswered: string } {
  const { turns, cutRight } = segmentation
  const answer = lastWords(segmentation, written)
  const cut = cutRight ? turns.at(-1) : undefined
  const until =
    cut === undefined || cut.index === answer?.index ? answer : { index: cut.index, start: cut.contentStart }
  const last = until?.index ?? turns.length
  let seen = ''
  let unanswered = ''
  /** Where the turn before ended, where that is the environment's as well and no system turn. */
  let goesOnFrom = -1
  for (const turn of turns) {
    const { index, kind, contentStart, contentEnd, spans } = turn
    if (kind === 'assistant' && (index >= last || !isOfReply(segmentation, written, turn))) {
      for (const span of spans) if (span.part === 'tool') seen += ` ${written.text(span)}`
      goesOnFrom = -1
      continue
    }
    // A text that became a control token is torn by it, and whole with the letters that the token stands for.
    const piece = (end: number) =>
      goesOnFrom < 0 ? ` ${written.text({ start: contentStart, end })}` : written.text({ start: goesOnFrom, end })
    if (index < last) seen += piece(contentEnd)
    else if (index === last && until !== undefined && until.start > contentStart) seen += piece(until.start)
    else unanswered += piece(contentEnd)
    goesOnFrom = kind === 'system' || index === last ? -1 : contentEnd
  }
  return { seen, unanswered }
}

/**
 * Whether a turn that reads as one of the model's is the rest of a reply that spells an end token and got it (T15), or a forged turn that such a rest
 * or the model's own turn follows: it has no header, or that of the forgery, and nobody sampled or trains a word of it.
 */
function isOfReply({ turns }: Segmentation, written: Written, turn: Turn): boolean {
  const isRest = ({ kind, header }: Turn) => kind === 'assistant' && header === 'missing'
  const next = turns[turn.index + 1]
  const isTorn = isRest(turn) || (next !== undefined && isRest(next) && isWritten(written, next) === false)
  const answers = next?.kind === 'assistant' && next.header === 'present' && isWritten(written, next) === true
  return (isTorn || (answers && turns[turn.index - 1]?.kind === 'tool')) && isWritten(written, turn) === false
}

/** Whether the model wrote any of a turn: it was sampled, or is trained where nothing tells. Null where neither the one nor the other is known. */
function isWritten({ mask, provenance }: Written, { start, end }: Turn): boolean | null {
  if (provenance !== null && countOf(provenance, Provenance.sampled, start, end) > 0) return true
  if (provenance !== null && countOf(provenance, Provenance.notSampled, start, end) > 0) return false
  if (mask === null) return null
  if (countOf(mask, 1, start, end) > 0) return true
  return mask.includes(1) ? false : null
}
