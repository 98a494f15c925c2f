import { END_REASONS, type EndReason, type TrajectoryFacts } from '../facts.ts'
import { mean } from '../groups/statistics.ts'
import { isCut } from '../limits.ts'
import { hasHiddenDocuments } from '../rollout-filter.ts'

export interface MeanReward {
  readonly rollouts: number
  readonly mean: number
}

/** Mean reward by how rollouts end, where some of them are cut; empty else. */
export function rewardByEnd(facts: readonly TrajectoryFacts[]): (MeanReward & { readonly end: EndReason })[] {
  if (!facts.some((row) => isCut(row) && isRewarded(row))) return []
  const rewarded = facts.filter(isRewarded)
  return END_REASONS.flatMap((end) => {
    const found = meanReward(rewarded.filter(({ endReason }) => endReason === end))
    return found === null ? [] : [{ end, ...found }]
  })
}

/** Mean reward of rollouts whose supporting documents are all visible at the answer, and of those where one is hidden; null unless there are both. */
export function rewardByVisibility(
  facts: readonly TrajectoryFacts[],
): { readonly visible: MeanReward; readonly hidden: MeanReward } | null {
  const documented = facts.filter((row) => (row.supportingDocuments?.available ?? 0) > 0 && isRewarded(row))
  const visible = meanReward(documented.filter((row) => !hasHiddenDocuments(row)))
  const hidden = meanReward(documented.filter(hasHiddenDocuments))
  return visible === null || hidden === null ? null : { visible, hidden }
}

function isRewarded({ reward }: TrajectoryFacts): boolean {
  return reward !== null && Number.isFinite(reward)
}

function meanReward(rows: readonly TrajectoryFacts[]): MeanReward | null {
  return rows.length === 0 ? null : { rollouts: rows.length, mean: mean(rows.map(({ reward }) => reward as number)) }
}
