import { Provenance, type Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { runsOf } from '../oracles/spans.ts'
import { sampledFrom, type TurnLag } from '../oracles/turn-lag.ts'

/**
 * Turns whose trained run begins in place and goes on behind their end, with logprobs of the sampler, into what the template writes there. So it is where a
 * text was encoded again into fewer tokens, and mask and logprobs kept the length of what was sampled.
 */
export interface SlippedEnds {
  /** A turn with something behind its end each: `found` ends where its run does, and `lag` is 0. */
  readonly lags: readonly TurnLag[]
  /** Each of them goes on as far: a model that writes on behind its end, where nothing stops it there, looks the same. */
  readonly alike: boolean
}

/** Null where the mask has another shape, and where no run goes on so. */
export function slippedEnds(view: TrajectoryView): SlippedEnds | null {
  const { segmentation, provenance } = view
  if (segmentation === null || provenance === null || view.expectedRl === null) return null
  const { left, right } = segmentation.padding
  const mask = view.mask as Uint8Array
  const runs = runsOf(mask, 1, left, mask.length - right)
  const written = writtenTurns(segmentation)
  if (runs.length !== written.length) return null
  const lags: TurnLag[] = []
  let isScored = false
  for (const [index, turn] of written.entries()) {
    const found = runs[index] as TurnLag['found']
    const next = segmentation.turns[turn.index + 1]
    if (found.start !== sampledFrom(view, turn)) return null
    if (next === undefined) continue
    if (!endsBefore(turn, next, found.end)) return null
    for (let at = turn.endToken + 1; at < found.end; at++) {
      if (provenance[at] === Provenance.notSampled) return null
      isScored ||= provenance[at] === Provenance.sampled
    }
    lags.push({ turn, lag: 0, expected: { start: found.start, end: turn.endToken + 1 }, found })
  }
  if (!isScored) return null
  const [first] = lags.map(behindEnd)
  return { lags, alike: lags.every((lag) => behindEnd(lag) === first) }
}

/** Tokens by which the run goes on behind the end of its turn. */
export function behindEnd({ expected, found }: TurnLag): number {
  return found.end - expected.end
}

/** The end of the run: with the turn, or in its newline or the header of the next turn. */
function endsBefore({ endToken, separatorStart, end }: Turn, next: Turn, at: number): boolean {
  const isPlain = endToken >= 0 && separatorStart === endToken + 1 && next.start === end && next.header === 'present'
  return isPlain && at > endToken && at <= next.headerEnd
}
