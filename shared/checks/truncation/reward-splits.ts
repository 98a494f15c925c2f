import { forEachOf, type Steps } from '../../model/steps.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import { END_REASONS, type EndReason, type TrajectoryFacts } from '../facts/facts.ts'
import { hasHiddenDocuments } from '../facts/rollout-filter.ts'
import { mean } from '../groups/statistics.ts'
import { isCutReason } from '../limits/limits.ts'
import { REFUTED_STOP, type ToldEnds } from './told-ends.ts'

export interface MeanReward {
  readonly rollouts: number
  readonly mean: number
}

/** Mean reward by how rollouts end, where some of them are cut; empty else. */
export function rewardByEnd(
  facts: readonly TrajectoryFacts[],
  { refuted }: Pick<ToldEnds, 'refuted'>,
): (MeanReward & { readonly end: EndReason })[] {
  const columns = new FactColumns(facts)
  const ends = columns.numbered('endReason', (end) => END_REASONS.indexOf(end))
  if (refuted.size > 0) {
    const cut = END_REASONS.indexOf(REFUTED_STOP)
    for (let row = 0; row < ends.length; row++) if (refuted.has(facts[row] as TrajectoryFacts)) ends[row] = cut
  }
  const rewards = columns.numbers('reward')
  const byEnd = END_REASONS.map((): number[] => [])
  for (let row = 0; row < rewards.length; row++) {
    const reward = rewards[row] as number
    if (Number.isFinite(reward)) byEnd[ends[row] as number]?.push(reward)
  }
  if (!byEnd.some((own, end) => own.length > 0 && isCutReason(END_REASONS[end] as EndReason))) return []
  return byEnd.flatMap((own, end) =>
    own.length === 0 ? [] : [{ end: END_REASONS[end] as EndReason, rollouts: own.length, mean: mean(own) }],
  )
}

/** Mean reward of rollouts whose supporting documents are all visible at the answer, and of those where one is hidden; null unless there are both. */
export function* rewardByVisibility(
  facts: readonly TrajectoryFacts[],
): Steps<{ readonly visible: MeanReward; readonly hidden: MeanReward } | null> {
  const ofVisible: TrajectoryFacts[] = []
  const ofHidden: TrajectoryFacts[] = []
  yield* forEachOf(new FactColumns(facts).having('supportingDocuments'), (row) => {
    if ((row.supportingDocuments?.available ?? 0) === 0 || !isRewarded(row)) return
    if (hasHiddenDocuments(row)) ofHidden.push(row)
    else ofVisible.push(row)
  })
  const visible = meanReward(ofVisible)
  const hidden = meanReward(ofHidden)
  return visible === null || hidden === null ? null : { visible, hidden }
}

function isRewarded({ reward }: TrajectoryFacts): boolean {
  return reward !== null && Number.isFinite(reward)
}

function meanReward(rows: readonly TrajectoryFacts[]): MeanReward | null {
  return rows.length === 0 ? null : { rollouts: rows.length, mean: mean(rows.map(({ reward }) => reward as number)) }
}
