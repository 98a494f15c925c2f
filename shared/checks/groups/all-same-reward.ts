import { counted } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Check, DumpReporter, DumpView, GroupView } from '../check.ts'
import { completeGroups, rangeOf, rewardsOf, shown, trainedIn } from './statistics.ts'

/** A01. Every rollout of a group has the same reward. Some such groups are normal; the evidence says how many chance would give. */
export const allSameReward: Check = {
  code: 'A01',
  name: 'all-same-reward',
  title: 'All rewards of a group are the same',
  hypotheses: ['H05'],
  severity: 'info',
  unit: 'group',
  needs: ['rewards', 'group'],
  looksAt: 'complete groups',
  why: 'Without a difference in reward every advantage of the group is 0: its tokens were sampled for nothing.',
  fix: 'Choose prompts the model sometimes solves, or sample on until groups have contrast.',
  cite: 'TRL#6365, TRL#7068, ms-swift#4570, CoursIA#10603',
  dump: lookAtGroups,
}

function* lookAtGroups(view: DumpView, report: DumpReporter): Steps<void> {
  const groups = completeGroups(view, report)
  if (groups === null) return
  const { thresholds } = view.settings
  const same = yield* within(
    0,
    0.3,
    filtered(groups, (group) => !hasContrast(group, thresholds)),
  )
  const chance = chanceOfNoContrast(groups)
  const look = (group: GroupView) => {
    const affected = !hasContrast(group, thresholds)
    report.unit(affected)
    report.place(affected)
    if (!affected) return
    const trained = trainedIn(group.members)
    report.fault({
      group,
      ...trained,
      message: `All ${counted(group.members.length, 'rollout')} of group ${group.id} have reward ${shown(group.members[0]?.reward as number)}`,
      evidence: {
        reward: group.members[0]?.reward ?? null,
        rows: group.members.length,
        trained_tokens: trained.affectedTokens,
        share_of_groups: same.length / groups.length,
        chance,
      },
    })
  }
  yield* within(0.4, 1, forEachOf(groups, look))
}

function hasContrast(group: GroupView, thresholds: Thresholds): boolean {
  return rangeOf(rewardsOf(group)) > thresholds['same-reward']
}

/**
 * The share of groups that chance alone leaves without contrast, p^G + (1−p)^G for success rate p and groups of G, averaged
 * over the groups' sizes. Null unless rewards take two values: for graded ones there is no success rate.
 */
export function chanceOfNoContrast(groups: readonly GroupView[]): number | null {
  const counts = new Map<number, number>()
  for (const group of groups) {
    for (const reward of rewardsOf(group)) counts.set(reward, (counts.get(reward) ?? 0) + 1)
    if (counts.size > 2) return null
  }
  if (counts.size !== 2) return null
  const success = Math.max(...counts.keys())
  const p = (counts.get(success) as number) / [...counts.values()].reduce((sum, count) => sum + count, 0)
  const chances = groups.map(({ members }) => p ** members.length + (1 - p) ** members.length)
  return chances.reduce((sum, chance) => sum + chance, 0) / chances.length
}
