import { Provenance, type Segmentation, type Span, type Turn } from '../../model/tokens.ts'
import type { TurnFrame } from '../../tokens/tokenizer.ts'
import type { TrajectoryView } from '../check.ts'
import { countOf } from './spans.ts'

type ResidualView = Pick<TrajectoryView, 'ids' | 'segmentation' | 'tokenizer' | 'provenance'>
const NONE: readonly Span[] = []

/**
 * Padding that was left inside a row when prompts, replies and answers were put together again: pads that stand where the model cannot have written
 * them. Those are several at once before the first word of an answer or behind its end, of which none is known to be sampled (an engine stops at
 * the first), and any behind a turn of another. Elsewhere a base model writes what is also its pad, and so does a model that is made to go on.
 */
export function residualPads({ ids, segmentation, tokenizer, provenance }: ResidualView): readonly Span[] {
  const frame = tokenizer?.frame ?? null
  if (segmentation === null || frame === null || frame.pad.length === 0) return NONE
  let found: Span[] | null = null
  for (const run of runsOfPads(ids, segmentation, frame)) {
    if (provenance !== null && countOf(provenance, Provenance.sampled, run.start, run.end) > 0) continue
    found ??= []
    found.push(run)
  }
  return found ?? NONE
}

function* runsOfPads(ids: Int32Array, { turns }: Segmentation, frame: TurnFrame): Generator<Span> {
  let before = turns[0]
  for (const turn of turns) {
    const between = before === undefined || before.end >= turn.start ? null : padsBetween(ids, before, turn, frame)
    if (between !== null) yield between
    before = turn
    const pads = padsBehindHeader(ids, turn, frame)
    if (pads !== null) yield pads
  }
}

/** Pads behind a turn that is closed, with nothing before the next one but a newline that they drove away from its end. */
function padsBetween(ids: Int32Array, before: Turn, { start }: Turn, { pad, newlines }: TurnFrame): Span | null {
  const end = endOfRun(ids, pad, before.end, start)
  const isModels = before.kind === 'assistant'
  // A base model may end its text behind the end of its turn.
  if (end - before.end < (isModels ? 2 : 1) || (isModels && before.endToken < 0)) return null
  let next = end
  while (next < start && newlines.has(ids[next] as number)) next++
  return next === start ? { start: before.end, end } : null
}

/** Several pads with which the content of an answer begins; null where there are none. */
export function padsBehindHeader(
  ids: Int32Array,
  { kind, contentStart: start, contentEnd }: Turn,
  { pad }: TurnFrame,
): Span | null {
  if (kind !== 'assistant') return null
  const end = endOfRun(ids, pad, start, contentEnd)
  return end > start + 1 && end < contentEnd ? { start, end } : null
}

/** The end of the run of one pad that begins at `start`; `start` where none does. */
function endOfRun(ids: Int32Array, pads: readonly number[], start: number, limit: number): number {
  const id = ids[start] as number
  let end = start
  if (!pads.includes(id)) return start
  while (end < limit && ids[end] === id) end++
  return end
}
