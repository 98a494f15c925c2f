import { TokenState } from '../../model/tokens.ts'
import { runEnd } from '../oracles/spans.ts'

const SEGMENTS = 64

/** Share of a cell from which on it is drawn as trained before the share of a whole cell is owed. */
const LEAST_TRAINED = 0.25

/** Width of the whole row in a strip. */
export const STRIP_WIDTH = 255

/**
 * Draws a row for the mask strip of the table: pairs of bytes, first a `TokenState`, then a width of 1 to 255, at most 64 pairs. The
 * widths are in proportion to the tokens and sum to 255: the edge between two runs lies at the same place whatever stands elsewhere in
 * the row, as far as every run has room. A row of more than 64 runs is drawn as 64 equal
 * cells, each in the state that most of its tokens have, trained before others where it has a quarter: a trained turn of
 * few tokens is what people look for. What a cell shows as trained beyond its share is taken from those behind it, and what it does not
 * show is owed by them, so that a row of many short turns is trained in as many cells as its share asks for.
 */
export function drawStrip(states: Uint8Array, runs: readonly StateRun[] = stateRuns(states)): Uint8Array {
  if (states.length === 0) return new Uint8Array(0)
  const segments = runs.length <= SEGMENTS ? runs : stateRuns(cells(runs, states.length))
  const total = segments.reduce((sum, { length }) => sum + length, 0)
  const strip = new Uint8Array(segments.length * 2)
  let tokens = 0
  let drawn = 0
  for (const [i, { state, length }] of segments.entries()) {
    tokens += length
    const behind = segments.length - 1 - i
    const edge = Math.min(STRIP_WIDTH - behind, Math.max(drawn + 1, Math.round((tokens / total) * STRIP_WIDTH)))
    strip[i * 2] = state
    strip[i * 2 + 1] = edge - drawn
    drawn = edge
  }
  return strip
}

/** Consecutive tokens in one `TokenState`. */
export interface StateRun {
  readonly state: number
  readonly length: number
}

export function stateRuns(states: Uint8Array): StateRun[] {
  const runs: StateRun[] = []
  const { length } = states
  for (let start = 0; start < length; ) {
    const state = states[start] as number
    const end = runEnd(states, start, length)
    runs.push({ state, length: end - start })
    start = end
  }
  return runs
}

function cells(runs: readonly StateRun[], tokens: number): Uint8Array {
  const result = new Uint8Array(SEGMENTS)
  /** Cells of trained tokens that are not drawn as such yet; below 0 where more are. */
  let owed = 0
  let run = 0
  /** Tokens of the run that lie in cells before. */
  let taken = 0
  for (let cell = 0; cell < SEGMENTS; cell++) {
    const start = Math.floor((cell * tokens) / SEGMENTS)
    const end = Math.floor(((cell + 1) * tokens) / SEGMENTS)
    const counts = [0, 0, 0, 0]
    for (let left = end - start; left > 0; ) {
      const { state, length } = runs[run] as StateRun
      const count = Math.min(left, length - taken)
      counts[state] = (counts[state] as number) + count
      left -= count
      taken += count
      if (taken === length) {
        run++
        taken = 0
      }
    }
    const trained = (counts[TokenState.trained] as number) / (end - start)
    owed += trained
    // A cell of trained tokens alone always passes: no more than three quarters of one were drawn ahead.
    if (trained > 0 && owed >= (trained >= LEAST_TRAINED ? LEAST_TRAINED : 1)) {
      result[cell] = TokenState.trained
      owed -= 1
    } else {
      counts[TokenState.trained] = 0
      result[cell] = counts.indexOf(Math.max(...counts))
    }
  }
  return result
}
