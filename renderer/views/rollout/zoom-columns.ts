import { TokenState } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { TurnEdge } from './edges.ts'
import { isControl, tokenText } from './token-text.ts'

/** Tokens shown on either side of an edge: as many as have room. */
const AROUND = [6, 5, 4] as const
/** Pixels of a character at which words are still read well; letters grow smaller before a table of the fewest tokens is scrolled. */
const READABLE = 6.4
/** Pixels beside the tokens: the names of the rows, and the padding of an edge. */
const BESIDE_TOKENS = 80
/** Characters that a column has at least: as wide as the word `masked`, and an id of six digits. */
const LEAST = 6.6
/** Characters beside the text of a token: its frame, its padding and the line of its column. */
const BESIDE = 1.8
/** Characters of a special token that stay on one line; `<|start_header_id|>` has 19. */
const MOST_SPECIAL = 24
/** Characters of any other token that stay on one line where there is room for them. */
const MOST_WANTED = 16

/** How wide the columns beside an edge are, in characters of the tokens' font. The edge has the same place in all edges of a rollout. */
export interface ZoomColumns {
  /** Tokens on either side of an edge. */
  readonly around: number
  /** On the left of the edge and on its right, over all edges of the rollout: no special token breaks within them. */
  readonly sides: readonly [left: number, right: number]
  /** @param position of the token's column, from 0 to 2 · around − 1 */
  column(edge: TurnEdge, position: number): ZoomColumn
}

export interface ZoomColumn {
  readonly least: number
  /** What its text takes beyond that; a word breaks without it. */
  readonly wanted: number
  /** The least of all columns of its side, and what they want beyond it. */
  readonly side: { readonly least: number; readonly wanted: number }
}

/**
 * @param edges of the rollout, all of them: what the widest needs is what all have
 * @param width of their place in pixels; 0 where it is not known, as on paper, and there is room for all
 */
export function zoomColumns(detail: TrajectoryDetail, edges: readonly TurnEdge[], width: number): ZoomColumns {
  const room = width === 0 ? Number.POSITIVE_INFINITY : width - BESIDE_TOKENS
  const fewest = AROUND.at(-1) as number
  for (const around of AROUND) {
    const columns = columnsOf(detail, edges, around)
    const [left, right] = columns.sides
    if (around === fewest || (left + right) * READABLE <= room) return columns
  }
  throw new Error('There is no number of tokens beside an edge.')
}

function columnsOf(detail: TrajectoryDetail, edges: readonly TurnEdge[], around: number): ZoomColumns {
  const least = (token: number) => leastOf(detail, token)
  const wanted = (token: number) => Math.max(0, Math.min(MOST_WANTED, lengthOf(detail, token)) + BESIDE - least(token))
  const startOf = (edge: TurnEdge, position: number) => (position < around ? edge.at - around : edge.at)
  return {
    around,
    sides: [widestSide(detail, edges, -around, around), widestSide(detail, edges, 0, around)],
    column(edge, position) {
      const start = startOf(edge, position)
      const side = Array.from({ length: around }, (_, k) => start + k)
      const token = edge.at - around + position
      return {
        least: least(token),
        wanted: wanted(token),
        side: { least: sum(side.map(least)), wanted: sum(side.map(wanted)) },
      }
    },
  }
}

function leastOf(detail: TrajectoryDetail, token: number): number {
  return isWhole(detail, token) ? Math.max(LEAST, Math.min(MOST_SPECIAL, lengthOf(detail, token)) + BESIDE) : LEAST
}

/** What the widest of all edges needs for `around` tokens from `from` on, counted from the edge. It may have thousands of edges to look at. */
function widestSide(detail: TrajectoryDetail, edges: readonly TurnEdge[], from: number, around: number): number {
  let most = around * LEAST
  for (const { at } of edges) {
    let side = 0
    for (let token = at + from; token < at + from + around; token++) side += leastOf(detail, token)
    if (side > most) most = side
  }
  return most
}

/** Whether a token is one of the vocabulary's own marks, which is read as one sign and is never broken. Of padding one knows what follows. */
export function isWhole(detail: Pick<TrajectoryDetail, 'flags' | 'states'>, token: number): boolean {
  return isControl(detail, token) && detail.states[token] !== TokenState.padding
}

function lengthOf(detail: TrajectoryDetail, token: number): number {
  return token >= 0 && token < detail.states.length ? tokenText(detail, token).length : 0
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}
