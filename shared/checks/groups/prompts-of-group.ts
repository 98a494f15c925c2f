import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/** What was asked, whether its begin-of-sequence token is there once or twice (T01). */
export function promptOf({ oneBosHash, promptHash }: TrajectoryFacts): string | null {
  return oneBosHash ?? promptHash
}

/** The prompt that more than half of the members have, of those whose prompt was not cut if there are any; null where none is. */
export function majorityPrompt({ members }: GroupView): string | null {
  const counts = new Map<string, number>()
  const areAllCut = members.every(isCut)
  let counted = 0
  for (const member of members) {
    if (!areAllCut && isCut(member)) continue
    counted++
    const prompt = promptOf(member)
    if (prompt !== null) counts.set(prompt, (counts.get(prompt) ?? 0) + 1)
  }
  for (const [prompt, count] of counts) if (count * 2 > counted) return prompt
  return null
}

function isCut({ promptOpen }: TrajectoryFacts): boolean {
  return promptOpen === true
}

/** A prompt may come back in a later step, or in another file: evaluations ask the same questions again. */
export function promptKey(facts: TrajectoryFacts): string {
  return `${facts.place.source} ${facts.step ?? ''} ${promptOf(facts)}`
}

/**
 * Members with another prompt than the majority (`majorityPrompt`); without one, than the first whose prompt was not cut. Rows by call have the prompt of their first call. A
 * prompt that was cut (C01, C02) is another one by its ids only: it begins with another turn or inside one, a turn of it is not closed, or C02 tells of it. So is
 * one of another day (T14), and one whose template wrote another system text before the same question (T07, T08, T09).
 */
export function strangers(group: GroupView, majority: string | null): readonly TrajectoryFacts[] {
  const first = group.members.find((member) => !isCut(member)) ?? group.members[0]
  const prompt = majority ?? (first === undefined ? null : promptOf(first))
  // As mostly: then even a call that goes on from another one has the prompt of the first call.
  if (group.members.every((member) => promptOf(member) === prompt)) return NO_STRANGERS
  const own = group.members.find((member) => promptOf(member) === prompt)
  const roots = rootsOf(group)
  // Of rows by call the first ones are few: whatever the majority has, the prompt is what all calls begin with.
  const root = own === undefined ? prompt : rootOf(own, roots)
  return group.members.filter(
    (member) =>
      member.promptHash !== null &&
      rootOf(member, roots) !== root &&
      member.firstRole === own?.firstRole &&
      !isCut(member) &&
      !isRenderedOtherwise(member, own) &&
      member.branchOf === null,
  )
}

/** The system turns have different dates or texts, and the same is asked behind them; or one of the two has no or other tools before its question. */
function isRenderedOtherwise(member: TrajectoryFacts, own: TrajectoryFacts | undefined): boolean {
  if (own === undefined) return false
  const hasOtherTools =
    member.toolsMissing !== own.toolsMissing ||
    member.toolsDiffer !== own.toolsDiffer ||
    member.toolsLeftOut !== own.toolsLeftOut ||
    member.emptyTools !== own.emptyTools
  if (!askTheSame(member, own)) return hasOtherTools && mayAskTheSame(member, own)
  if (hasOtherTools) return true
  const [text, date] = [member.systemHash ?? null, member.promptDate ?? null]
  const [ownText, ownDate] = [own.systemHash ?? null, own.promptDate ?? null]
  if (text !== ownText) return text !== null && ownText !== null
  return date !== null && ownDate !== null && date !== ownDate
}

/** Where tools stand in the turn of the question and not in the system turn, its ids do not tell; words would. */
function mayAskTheSame(one: TrajectoryFacts, other: TrajectoryFacts): boolean {
  const haveWords = one.pairing?.questionIds !== undefined && other.pairing?.questionIds !== undefined
  return !haveWords && systemWithoutTools(one) === systemWithoutTools(other)
}

/** Lines that stand there for tools alone are gone with these, whatever is asked. */
function systemWithoutTools(facts: TrajectoryFacts): string | null {
  return facts.systemWithoutTools ?? facts.systemHash ?? null
}

/** By the ids of the question, or by its words where both have messages: some templates write the tools before them. */
export function askTheSame({ pairing: one }: TrajectoryFacts, { pairing: other }: TrajectoryFacts): boolean {
  const ids = one?.questionIds ?? one?.question ?? null
  if (ids !== null && ids === (other?.questionIds ?? other?.question)) return true
  const words = one?.questionIds === undefined ? null : one.question
  return words !== null && other?.questionIds !== undefined && words === other.question
}

const NO_STRANGERS: readonly TrajectoryFacts[] = []

/** Prompts of the group behind which no reply stands: those that later calls of a rollout go on from. */
export function rootsOf({ members }: GroupView): ReadonlySet<string> {
  const roots = new Set<string>()
  for (const member of members) {
    const prompt = promptOf(member)
    if (prompt !== null && !member.rootHash) roots.add(prompt)
  }
  return roots
}

/** What a member was asked: of a later call, whose prompt goes on behind replies, what the first call of its group was. */
function rootOf(member: TrajectoryFacts, roots: ReadonlySet<string>): string | null {
  return goesOnFrom(member, roots) ? (member.rootHash as string) : promptOf(member)
}

export function goesOnFrom({ rootHash }: TrajectoryFacts, roots: ReadonlySet<string>): boolean {
  return rootHash !== undefined && roots.has(rootHash)
}
