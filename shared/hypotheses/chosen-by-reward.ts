import type { DumpView } from '../checks/check.ts'
import { shown } from '../checks/groups/statistics.ts'

/** Groups of another size, up to which parts of groups are what is cut off at the two ends of a dump. */
const CUT_AT_ENDS = 2

/**
 * What says that rollouts may have been chosen by their reward before they were written, as rejection sampling does: in a dump of one reward above 0, then,
 * nothing shows what the groups were. Null where rewards differ, or are no success; and where groups are whole and nothing says that their rollouts are
 * trained in spite of their same reward: the baseline of a group would have made every advantage 0.
 */
export function chosenByReward({ facts, groups, groupSize }: DumpView): string | null {
  const reward = facts[0]?.reward ?? 0
  if (!(reward > 0) || !facts.every((each) => each.reward === reward)) return null
  const advantages = new Set<number>()
  for (const { advantage } of facts) if (advantage !== null) advantages.add(advantage)
  if (advantages.size > 1) return null
  const [advantage] = advantages
  if (advantage !== undefined)
    return advantage > 0 ? `each has reward ${shown(reward)}, and is trained with advantage ${shown(advantage)}` : null
  const parts = groups.filter(({ members, isAskedOnce }) => members.length !== groupSize && !isAskedOnce).length
  if (parts <= CUT_AT_ENDS) return null
  return `each has reward ${shown(reward)}, and ${parts} of ${groups.length} groups are of another size than ${groupSize}`
}
