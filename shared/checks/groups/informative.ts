import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { GroupView } from '../check.ts'
import { trainingOf } from './baseline-rows.ts'
import { rangeOf, rewardsOf } from './statistics.ts'

/** Whether a group can tell schemes apart: its rewards differ, and two of its advantages or more are known. */
export function isInformative(group: GroupView, thresholds: Thresholds): boolean {
  const known = group.members.filter(({ advantage }) => advantage !== null)
  if (known.length < 2 || rangeOf(rewardsOf(group)) <= thresholds['same-reward']) return false
  return known.some(({ advantage }) => advantage !== 0) || !isLevelWhereItTrains(group, thresholds)
}

/** Rows that train nothing are the only ones with another reward: a baseline without them makes every advantage 0, under every scheme. */
function isLevelWhereItTrains(group: GroupView, thresholds: Thresholds): boolean {
  const training = trainingOf(group.members)
  return (
    training.length >= 2 &&
    training.length < group.members.length &&
    rangeOf(training.map(({ reward }) => reward as number)) <= thresholds['same-reward']
  )
}
