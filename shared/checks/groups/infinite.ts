import { counted } from '../../model/number-text.ts'
import type { DumpFault, GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { rewardsOf, trainedIn } from './statistics.ts'

export function hasInfiniteAdvantage({ members }: Pick<GroupView, 'members'>): boolean {
  return members.some(isInfinite)
}

function isInfinite({ brokenAdvantage: broken }: TrajectoryFacts): boolean {
  return broken !== undefined && broken.value !== 'NaN'
}

/** What A03 says of a group with an infinite advantage, whatever its rewards are. */
export function infiniteIn(group: GroupView): DumpFault {
  const broken = group.members.filter(isInfinite)
  const [first] = broken as [TrajectoryFacts]
  return {
    group,
    ...trainedIn(broken),
    message: `An advantage of ${first.brokenAdvantage?.value} in group ${group.id}; no rewards of ${counted(group.members.length, 'rollout')} give one`,
    evidence: {
      advantage: first.brokenAdvantage?.value,
      trajectory: first.id,
      ...(group.complete ? { rewards: rewardsOf(group) } : {}),
      advantages: group.members.map(({ advantage, brokenAdvantage }) => brokenAdvantage?.value ?? advantage),
    },
  }
}
