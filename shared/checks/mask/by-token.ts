import { Expected } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { runEnd } from '../oracles/spans.ts'

/** One hole may be a thought that is masked, and two may be thoughts of two turns. */
const FEWEST_HOLES = 3

/**
 * The mask chooses among the tokens that the model wrote, as one of those of the highest entropy does: of most of them it trains none, and what it trains
 * lies in several pieces amid its turns. That an end is not among them says nothing of ends; H02 says how much it misses.
 */
export function choosesTokens(view: TrajectoryView): boolean {
  return longestLeftOut(view) > 0
}

/** The most tokens in a row that such a mask leaves out amid what the model wrote at a stretch: as few may be a short turn. 0 where it is no such mask. */
export function longestLeftOut(view: TrajectoryView): number {
  let longest = known.get(view)
  if (longest === undefined) known.set(view, (longest = findLongest(view)))
  return longest
}

/** M10 asks at each masked end. */
const known = new OfLast<TrajectoryView, number>()

function findLongest({ mask, expectedRl }: TrajectoryView): number {
  if (mask === null || expectedRl === null) return 0
  let written = 0
  let trained = 0
  let holes = 0
  let longest = 0
  for (let start = 0, end = 0; start < expectedRl.length; start = end) {
    end = runEnd(expectedRl, start, expectedRl.length)
    if (expectedRl[start] !== Expected.trained) continue
    written += end - start
    for (let at = start, to = at; at < end; at = to) {
      to = runEnd(mask, at, end)
      if (mask[at] === 1) trained += to - at
      else if (at > start && to < end) {
        holes++
        longest = Math.max(longest, to - at)
      }
    }
  }
  return holes >= FEWEST_HOLES && trained * 2 < written ? longest : 0
}
