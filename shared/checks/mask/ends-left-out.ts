import { Expected, Provenance, type Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { LARGEST_LAG } from '../oracles/alignment.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { hasOwnLogprob } from '../oracles/own-logprobs.ts'
import { countOf } from '../oracles/spans.ts'
import { MASK_UNKNOWN } from '../oracles/states.ts'
import { stopsAmidCall } from '../truncation/amid-call.ts'
import { choosesTokens } from './by-token.ts'

/** The end of a turn that trains something. */
export interface TurnEnd {
  readonly turn: Turn
  /** Behind the last trained token of its words. */
  readonly start: number
  readonly isMasked: boolean
  /** The dump says that the model wrote it. */
  readonly isSampled: boolean
}

const known = new OfLast<TrajectoryView, readonly TurnEnd[]>()

/** The ends that were to be trained, up to the first that a mask which chooses tokens leaves out. The facts and M10 ask. */
export function turnEnds(view: TrajectoryView): readonly TurnEnd[] {
  let ends = known.get(view)
  if (ends === undefined) known.set(view, (ends = findEnds(view)))
  return ends
}

function findEnds(view: TrajectoryView): TurnEnd[] {
  const { expectedRl, provenance, segmentation, mask } = view
  const ends: TurnEnd[] = []
  if (segmentation === null || mask === null) return ends
  for (const turn of writtenTurns(segmentation)) {
    const { endToken } = turn
    if (endToken < 0 || mask[endToken] === MASK_UNKNOWN) continue
    // One that is trained was looked at, whoever wrote it; of a masked one the dump must say that it was to be trained.
    if (expectedRl?.[endToken] !== Expected.trained && mask[endToken] !== 1) continue
    const start = trainedUpTo(view, turn)
    if (start < 0) continue
    const isMasked = mask[endToken] === 0
    const isSampled = provenance?.[endToken] === Provenance.sampled || (isMasked && hasOwnLogprob(view, turn))
    if (isMasked && choosesTokens(view)) return ends
    if (isMasked && !isSampled && stopsAmidCall(view, turn)) continue
    ends.push({ turn, start, isMasked, isSampled })
  }
  return ends
}

/**
 * Behind the last trained token of a turn. Of words that are masked before its end the dump must say that they and the end were sampled, since a framework
 * writes line breaks and marks before the end token itself: of all, where they are as many as whoever strips a closing mark takes along, and of most
 * where they are more, since a sampled token can have the number that a format writes where nothing was. -1 where it does not, and where nothing is trained.
 */
function trainedUpTo({ mask, provenance }: TrajectoryView, { contentStart, contentEnd, endToken }: Turn): number {
  let start = contentEnd
  while (start > contentStart && mask?.[start - 1] === 0) start--
  if (start === contentStart || mask?.[start - 1] !== 1) return -1
  const masked = contentEnd - start
  if (masked === 0) return start
  if (provenance?.[endToken] !== Provenance.sampled) return -1
  const sampled = countOf(provenance, Provenance.sampled, start, contentEnd)
  if (masked <= LARGEST_LAG) return sampled === masked ? start : -1
  const denied = countOf(provenance, Provenance.notSampled, start, contentEnd)
  return denied === 0 && sampled * 2 > masked ? start : -1
}
