import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView, GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { mean, shown } from '../groups/statistics.ts'

/** C04. A row that trains nothing has still been counted in its group's mean: the rows that do train have a foreign baseline. */
export const maskedRowsCounted: Check = {
  code: 'C04',
  name: 'masked-rows-counted',
  title: 'Masked rows still count in their group',
  hypotheses: ['H04', 'H01'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['mask', 'rewards', 'group', 'advantages'],
  looksAt: 'rollouts of groups that train',
  why: 'A rollout that is masked whole but enters the group mean and std shifts the advantage of every rollout that does train.',
  fix: 'Leave masked rollouts out of the baseline, or sample until the group is full again.',
  cite: 'TRL#6369, TRL#6439, TRL#4976, open-instruct#1794, miles#3200',
  dump: lookAtGroups,
}

/** Rewards of a group that its findings list. */
const MOST_REWARDS = 64

function lookAtGroups(view: DumpView, report: DumpReporter): void {
  const groups = view.groups.filter(({ complete, members }) => complete && members.some(trains))
  if (groups.length === 0) {
    if (!view.groups.some(({ complete }) => complete)) report.abstain('not-checkable', 'incomplete groups')
    return
  }
  for (const group of groups) {
    const counted = countedOutside(group, view.settings.thresholds)
    // Once for each group, and not all of it: a group may be a whole dump, with a finding for every second row.
    const rewards = group.members.slice(0, MOST_REWARDS).map(({ reward }) => reward)
    const rowsThatTrain = group.members.filter(trains).length
    for (const member of group.members) {
      const affected = counted !== null && member.trained === 0
      report.unit(affected)
      report.place(affected)
      if (!affected) continue
      report.fault({
        member,
        group,
        scope: 'trajectory',
        message: `No token of this rollout is trained, but its reward ${shown(member.reward as number)} counts in the mean of group ${group.id}`,
        evidence: {
          rewards,
          rows_that_train: rowsThatTrain,
          rows: group.members.length,
          end: member.endReason,
          is_truncated: member.isTruncated,
          lost_tokens: member.lost,
          supporting_documents: member.supportingDocuments,
          ...counted,
        },
      })
    }
  }
}

/**
 * Advantages sum to 0 over exactly the rows that made their baseline. When those of the rows that train do not, masked rows
 * were counted. Null where they do, where advantages are not known, or where they are the rewards themselves (no baseline).
 */
function countedOutside(group: GroupView, thresholds: Thresholds): Record<string, number> | null {
  const sameReward = thresholds['same-reward']
  if (!group.members.some((member) => member.trained === 0)) return null
  let sum = 0
  let absolute = 0
  let noBaseline = true
  for (const member of group.members) {
    if (!trains(member)) continue
    if (member.advantage === null) return null
    sum += member.advantage
    absolute += Math.abs(member.advantage)
    noBaseline &&= Math.abs(member.advantage - (member.reward as number)) <= sameReward
  }
  if (noBaseline || Math.abs(sum) <= Math.max(sameReward, thresholds['zero-sum-share'] * absolute)) return null
  const rewards = group.members.map(({ reward }) => reward as number)
  const trained = group.members.filter(trains).map(({ reward }) => reward as number)
  return { sum_of_trained_advantages: sum, mean_of_all: mean(rewards), mean_of_rows_that_train: mean(trained) }
}

function trains(member: TrajectoryFacts): boolean {
  return (member.trained ?? 0) > 0 && !member.excluded
}
