import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { DumpView, GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { declaredSize } from '../grouping/group-views.ts'
import { onceForDump } from '../once-for-dump.ts'
import { askTheSame, majorityPrompt, promptKey, promptOf, strangers } from './prompts-of-group.ts'
import { questionsOf } from './questions-of-group.ts'

/**
 * Why it proves nothing that groups of several prompts are no fault (A05): several questions may have been given one key, or one question was asked in several
 * words. Only a declared size or expected answers tell the two apart. Null where fewer than half of the groups are such, so that they stand out beside the others.
 */
export function* untoldQuestions(view: DumpView): Steps<string | null> {
  const groups = yield* untoldGroups(view)
  if (groups === null) return null
  return `${groups}, and neither the size of groups (--group-size) nor expected answers tell whether these are different questions or one in other words`
}

/** `4 of 4 groups hold several prompts of several rollouts each`, where that is half of them or more and nothing tells what they are; else null. */
export const untoldGroups = onceForDump(findingUntold)

function* findingUntold(view: DumpView): Steps<string | null> {
  if (view.settings.options.groupSize !== undefined) return null
  const groups = view.groups.filter(({ members }) => members.length > 1)
  const shared = yield* within(0, 0.4, promptsOfSeveralGroups(groups))
  let untold = 0
  yield* within(
    0.4,
    1,
    forEachOf(groups, (group) => {
      if (isUntold(group, shared)) untold++
    }),
  )
  if (untold === 0 || untold * 2 < groups.length) return null
  const hold = untold === 1 ? 'holds' : 'hold'
  return `${count(untold)} of ${counted(groups.length, 'group')} ${hold} several prompts of several rollouts each`
}

/** Variants of a prompt that are dealt out among groups are no questions of these groups. */
function* promptsOfSeveralGroups(groups: readonly GroupView[]): Steps<ReadonlySet<string>> {
  const groupOf = new Map<string, GroupView>()
  const several = new Set<string>()
  yield* forEachOf(groups, (group) => {
    for (const member of group.members) {
      const key = promptKey(member)
      const known = groupOf.get(key)
      if (known === undefined) groupOf.set(key, group)
      else if (known !== group) several.add(key)
    }
  })
  return several
}

/** Two of its prompts or more are those of several members each, asked for something else behind the same system text. */
function isUntold(group: GroupView, shared: ReadonlySet<string>): boolean {
  const { members } = group
  if (declaredSize(members) !== null || members.every(({ excluded }) => excluded)) return false
  const majority = majorityPrompt(group)
  const foreign = strangers(group, majority)
  if (foreign.length < 2 || questionsOf(group, promptOf) > 0) return false
  const prompt = majority ?? promptOf(members[0] as TrajectoryFacts)
  const own = members.find((member) => promptOf(member) === prompt) as TrajectoryFacts
  const asked = [
    ...members.filter((member) => promptOf(member) === prompt),
    // Agents of several parts have a system text each, and a later call goes on behind a reply.
    ...foreign.filter(
      (member) => member.systemHash === own.systemHash && member.rootHash === undefined && !askTheSame(member, own),
    ),
  ]
  const counts = new Map<string, number>()
  for (const member of asked) {
    const key = promptKey(member)
    if (!shared.has(key)) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  let repeated = 0
  for (const rollouts of counts.values()) if (rollouts > 1) repeated++
  return repeated > 1
}
