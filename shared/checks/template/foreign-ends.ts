import { Provenance, type Segmentation, type Turn } from '../../model/tokens.ts'
import { bytesOf } from '../../tokens/table.ts'
import type { TurnFrame } from '../../tokens/tokenizer.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import type { RemovedMarker } from './removed-markers.ts'

const known = new OfLast<Segmentation, ReadonlySet<Turn>>()
const NONE: ReadonlySet<Turn> = new Set()

/**
 * Turns of others that end with the token that ends a text (`<|endoftext|>`, which trainers take for the end token of a base model), and not with the one
 * that the template ends them with, as it does others of the row. A model may stop on either: its own turns are none. Where all turns of others end so, it
 * is how that template writes them, and before a system turn it parts two texts.
 */
export function foreignEnds(view: TrajectoryView): ReadonlySet<Turn> {
  const { segmentation, tokenizer } = view
  if (segmentation === null || tokenizer?.frame == null) return NONE
  let found = known.get(segmentation)
  if (found === undefined) {
    const { frame } = tokenizer
    const isEnding = (turn: Turn) => endsAsText(view, segmentation, frame, turn)
    const isForeign =
      segmentation.turns.some(isEnding) && closesOthers(view, segmentation, frame) && !writesEnds(view, frame)
    found = isForeign ? new Set(segmentation.turns.filter(isEnding)) : NONE
    known.set(segmentation, found)
  }
  return found
}

/** The end token that such a turn lacks; null of another turn. */
export function foreignEnd(view: TrajectoryView, turn: Turn): RemovedMarker | null {
  if (!foreignEnds(view).has(turn)) return null
  const { endToken, kind } = turn
  const token = { start: endToken, end: endToken + 1 }
  return {
    ...token,
    what: `A ${kind} turn ends with ${JSON.stringify(view.text(token))}, and not with the end token of the template that other turns of the row have`,
  }
}

function endsAsText(
  { ids, provenance }: TrajectoryView,
  { turns }: Segmentation,
  { style, textEnds }: TurnFrame,
  { kind, header, endToken, end, index }: Turn,
): boolean {
  if (kind === 'assistant' || kind === 'other' || header !== 'present' || endToken < 0) return false
  if (style === 'learned' || !textEnds.includes(ids[endToken] as number)) return false
  const next = turns[index + 1]
  if (next?.header !== 'present' || next.start !== end || next.kind === 'system') return false
  return provenance?.[endToken] !== Provenance.sampled
}

function closesOthers({ ids }: TrajectoryView, { turns }: Segmentation, { turnEnds }: TurnFrame): boolean {
  return turns.some(({ kind, endToken }) => kind !== 'assistant' && turnEnds.includes(ids[endToken] ?? -1))
}

const decoder = new TextDecoder()

/** The template itself writes such a token. */
function writesEnds({ tokenizer }: TrajectoryView, { textEnds }: TurnFrame): boolean {
  const { template, table } = tokenizer as NonNullable<TrajectoryView['tokenizer']>
  if (template === null) return false
  return template.includes('eos_token') || textEnds.some((id) => template.includes(decoder.decode(bytesOf(table, id))))
}
