/** Components of the two-hop reward, each in [0, 1]. */
export interface TwoHopRewards {
  readonly em: number
  readonly f1: number
  readonly retrieval_recall: number
  readonly citation: number
  readonly format: number
}

/** They sum to 0.9: a rollout that does everything right is rewarded 0.9. */
const REWARD_WEIGHTS: TwoHopRewards = { em: 0.14, f1: 0.14, retrieval_recall: 0.3, citation: 0.2, format: 0.12 }

export function totalReward(parts: TwoHopRewards): number {
  let sum = 0
  for (const name of Object.keys(REWARD_WEIGHTS) as (keyof TwoHopRewards)[]) sum += parts[name] * REWARD_WEIGHTS[name]
  return round(sum, 6)
}

export function round(value: number, digits: number): number {
  const scale = 10 ** digits
  const rounded = Math.round(value * scale) / scale
  return rounded === 0 ? 0 : rounded
}

function words(text: string): string[] {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s]/gu, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && word !== 'the' && word !== 'a' && word !== 'an')
}

export function exactMatch(answer: string, truth: string): number {
  return words(answer).join(' ') === words(truth).join(' ') ? 1 : 0
}

/** Overlap of words, as harmonic mean of precision and recall. */
export function wordF1(answer: string, truth: string): number {
  return overlapF1(words(answer), words(truth))
}

export function overlapF1<T>(found: readonly T[], wanted: readonly T[]): number {
  const left = [...wanted]
  let common = 0
  for (const one of found) {
    const at = left.indexOf(one)
    if (at < 0) continue
    left.splice(at, 1)
    common++
  }
  if (common === 0) return 0
  const precision = common / found.length
  const recall = common / wanted.length
  return round((2 * precision * recall) / (precision + recall), 6)
}
