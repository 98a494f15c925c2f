import type { TrajectoryView } from '../check.ts'
import { LARGEST_LAG } from '../oracles/alignment.ts'
import { runsOf } from '../oracles/spans.ts'
import { isShort } from './no-numbers.ts'

/**
 * Trained tokens that the trainer has no number for, among others of the rollout that it has one for: it scores whatever it trains. What an array
 * that lies a few tokens off leaves blank at one edge of a trained run and fills beyond the other is not among them (L06), nor is what the format
 * says to be due none, nor what stands first of all, which nothing scores. Empty where the trainer scored nothing: then the other rollouts tell.
 */
export function unscoredByTrainer({ mask, trajectory }: TrajectoryView): ReadonlySet<number> {
  const { logprobs, noneDue } = trajectory
  const { trainer } = logprobs
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
    const isWhole = first === end
    // A run so short is blank as a whole where the array lies off by its length.
    if (isWhole && before !== after && end - start <= LARGEST_LAG) continue
    const isLate = !isWhole && before && !after
    const isEarly = !isWhole && after && !before
    for (let token = isLate ? first : start; token < (isEarly ? last : end); token++) {
      if (token > 0 && isBlank(token) && noneDue.trainer?.[token] !== 1) found.add(token)
    }
  }
  if (scored === 0) found.clear()
  return found
}
