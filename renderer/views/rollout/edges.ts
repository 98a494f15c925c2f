import { TokenState } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'

/** The nearest edge of the mask after (or before) a token: a token whose state differs from the one before. Null at the end. */
export function nextEdge(states: Uint8Array, from: number, step: 1 | -1): number | null {
  for (let token = from + step; token > 0 && token < states.length; token += step) {
    if (states[token] !== states[token - 1]) return token
  }
  return null
}

/** A place where one turn ends and another begins, or the row ends. `at` is the first token behind it, which may be none. */
export interface TurnEdge {
  readonly at: number
  readonly before: number
  /** Null where the last turn ends. */
  readonly after: number | null
  /** As in the report: `assistant>tool`, `assistant>end`. */
  readonly boundary: string
}

export function turnEdges(detail: Pick<TrajectoryDetail, 'segmentation'>): TurnEdge[] {
  const { turns = [], endsWithGenerationPrompt = false } = detail.segmentation ?? {}
  const edges: TurnEdge[] = turns.slice(1).map((turn, position) => {
    const before = turns[position] as (typeof turns)[number]
    return { at: turn.start, before: before.index, after: turn.index, boundary: `${before.kind}>${turn.kind}` }
  })
  const last = turns.at(-1)
  if (last === undefined || endsWithGenerationPrompt) return edges
  return [...edges, { at: last.end, before: last.index, after: null, boundary: `${last.kind}>end` }]
}

/** Index of the turn that holds a token, -1 where none does. */
export function turnOf(detail: Pick<TrajectoryDetail, 'segmentation'>, token: number): number {
  const turns = detail.segmentation?.turns ?? []
  let low = 0
  let high = turns.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const turn = turns[middle] as (typeof turns)[number]
    if (token < turn.start) high = middle - 1
    else if (token >= turn.end) low = middle + 1
    else return middle
  }
  return -1
}

/** The token to look at first: that of the worst finding that points at tokens of its own, else the first that is no padding. */
export function firstToken(detail: Pick<TrajectoryDetail, 'findings' | 'states'>): number {
  const placed = detail.findings.filter((finding) => finding.tokens !== null && finding.intended !== true)
  const found =
    placed.find((finding) => finding.scope === 'tokens' && finding.severity === 'error') ??
    placed.find((finding) => finding.scope === 'tokens') ??
    placed[0]
  if (found?.tokens) return found.tokens[0]
  return Math.max(
    0,
    detail.states.findIndex((state) => state !== TokenState.padding),
  )
}
