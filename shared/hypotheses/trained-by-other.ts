import type { DumpView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { shown } from '../checks/groups/statistics.ts'
import { counted } from '../model/number-text.ts'

/**
 * What says that a run does not train by the rewards of its dump: they are all one number, while most rollouts have advantages, unlike from rollout to rollout
 * or from token to token, that one reward does not give. On-policy distillation has them of a teacher's logprobs, a critic of its own guess. Null elsewhere.
 */
export function trainedByOther({ facts, settings }: Pick<DumpView, 'facts' | 'settings'>): string | null {
  const reward = facts[0]?.reward ?? Number.NaN
  if (!Number.isFinite(reward) || !facts.every((each) => each.reward === reward)) return null
  const least = settings.thresholds['advantage-digits']
  const told = facts.filter(({ maxAdvantage }) => maxAdvantage !== null)
  const other = told.filter(({ maxAdvantage }) => (maxAdvantage as number) > least)
  if (other.length * 2 <= told.length || areOne(other, least)) return null
  return `all have reward ${shown(reward)}, and ${other.length} of ${counted(told.length, 'rollout')} have advantages other than 0, which differ: something that the dump does not store makes them`
}

/** One number for all tokens of all rollouts, as where a reward is the advantage. */
function areOne(rows: readonly TrajectoryFacts[], least: number): boolean {
  const first = rows[0]?.advantage ?? null
  return rows.every(({ advantage }) => advantage !== null && first !== null && Math.abs(advantage - first) <= least)
}
