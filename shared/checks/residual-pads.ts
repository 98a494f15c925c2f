import { Provenance, type Segmentation, type Span } from '../model/tokens.ts'
import type { TrajectoryView } from './check.ts'
import { countOf } from './spans.ts'

type ResidualView = Pick<TrajectoryView, 'ids' | 'segmentation' | 'tokenizer' | 'provenance'>
const NONE: readonly Span[] = []

/**
 * Padding that was left inside a row when prompts, replies and answers were put together again: pads that stand where the model cannot have written
 * them. Those are several at once before the first word of an answer, of which none is known to be sampled (an engine stops at the first), and any
 * behind a turn of another. Elsewhere a base model writes what is also its pad, and so does a model that is made to go on.
 */
export function residualPads({ ids, segmentation, tokenizer, provenance }: ResidualView): readonly Span[] {
  const pads = tokenizer?.frame?.pad ?? []
  if (segmentation === null || pads.length === 0) return NONE
  let found: Span[] | null = null
  for (const run of runsOfPads(ids, segmentation, pads)) {
    if (provenance !== null && countOf(provenance, Provenance.sampled, run.start, run.end) > 0) continue
    found ??= []
    found.push(run)
  }
  return found ?? NONE
}

function* runsOfPads(ids: Int32Array, { turns }: Segmentation, pads: readonly number[]): Generator<Span> {
  let before = turns[0]
  for (const turn of turns) {
    if (before !== undefined && before.kind !== 'assistant' && before.end < turn.start) {
      if (endOfRun(ids, pads, before.end, turn.start) === turn.start) yield { start: before.end, end: turn.start }
    }
    before = turn
    const { kind, contentStart: start, contentEnd } = turn
    if (kind !== 'assistant') continue
    const end = endOfRun(ids, pads, start, contentEnd)
    if (end > start + 1 && end < contentEnd) yield { start, end }
  }
}

/** The end of the run of one pad that begins at `start`; `start` where none does. */
function endOfRun(ids: Int32Array, pads: readonly number[], start: number, limit: number): number {
  const id = ids[start] as number
  let end = start
  if (!pads.includes(id)) return start
  while (end < limit && ids[end] === id) end++
  return end
}
