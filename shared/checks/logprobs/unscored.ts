import type { TrajectoryView } from '../check.ts'
import { isShort } from '../no-numbers.ts'
import { runsOf } from '../spans.ts'

/**
 * Trained tokens that the trainer has no number for, among others of the rollout that it has one for: it scores whatever it trains. What an array
 * that lies a few tokens off leaves blank at one edge of a trained run and fills beyond the other is not among them (L06), nor is what stands
 * first of all, which nothing scores. Empty where the trainer scored nothing: then the other rollouts tell.
 */
export function unscoredByTrainer({ mask, trajectory }: TrajectoryView): ReadonlySet<number> {
  const { trainer } = trajectory.logprobs
  const found = new Set<number>()
  if (trainer === null || mask === null || isShort(trajectory.arrays)) return found
  const isBlank = (token: number) => Number.isNaN(trainer[token] ?? Number.NaN)
  let scored = 0
  for (const { start, end } of runsOf(mask, 1)) {
    const [before, after] = [isBlank(start - 1), isBlank(end)]
    let first = start
    let last = end
    while (first < end && isBlank(first)) first++
    while (last > first && isBlank(last - 1)) last--
    scored += last - first
    // Of a whole turn nothing may have been learned later: what the trainer knows is joined turn by turn (prime-rl).
    if (first === end) continue
    const isLate = before && !after && first < end
    const isEarly = after && !before && first < end
    for (let token = isLate ? first : start; token < (isEarly ? last : end); token++) {
      if (token > 0 && isBlank(token)) found.add(token)
    }
  }
  if (scored === 0) found.clear()
  return found
}
