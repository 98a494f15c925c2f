import { count } from '../../model/number-text.ts'
import type { CheckTally, DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import { haveUnfitLogprobs } from '../layout/unfit-arrays.ts'
import { isTrainedSample } from './scored.ts'

/**
 * Assistant turns of which the sampler was certain from their first trained token to their last, by an exact 0 for each, where it was not of most others
 * of the rollout, and no trainer scored them: null where there are none. No model is, but one that draws nearly greedily may come near it.
 */
export function zeroTurnsOf(view: TrajectoryView): number | null {
  const { segmentation, trajectory, mask, thresholds } = view
  const { sampler, trainer } = trajectory.logprobs
  if (sampler === null || trainer !== null || mask === null || segmentation === null) return null
  if (haveUnfitLogprobs(trajectory)) return null
  const least = thresholds['scored-tokens']
  let [turns, zerosInThem, zeros, scored] = [0, 0, 0, 0]
  for (const { kind, contentStart, end } of segmentation.turns) {
    if (kind !== 'assistant') continue
    let own = 0
    let ownZeros = 0
    for (let token = contentStart; token < end; token++) {
      if (mask[token] !== 1 || Number.isNaN(sampler[token]) || !isTrainedSample(view, token)) continue
      own++
      if (sampler[token] === 0) ownZeros++
    }
    scored += own
    zeros += ownZeros
    if (own < least || ownZeros < own) continue
    turns++
    zerosInThem += own
  }
  return turns > 0 && 2 * (zeros - zerosInThem) < scored - zerosInThem ? turns : null
}

/** Why L05 proves nothing where rollouts have such turns; null where none has. */
export function unprovedByZeros(_tally: CheckTally, { facts, settings }: DumpView): string | null {
  let rollouts = 0
  for (const has of new FactColumns(facts).present('zeroTurns')) rollouts += has
  if (rollouts === 0) return null
  const least = settings.thresholds['scored-tokens']
  return `${count(rollouts)} of ${count(facts.length)} rollouts have a turn of ${count(least)} tokens or more in which every logprob is exactly 0, and no trainer’s tell whether these are placeholders`
}
