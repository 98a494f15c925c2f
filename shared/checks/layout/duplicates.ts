import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Check, DumpReporter, DumpView, GroupView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { storedRollout } from '../grouping/group-views.ts'
import { LikeRows } from '../grouping/like-rows.ts'
import { equalByChance, idsOf, partsOf } from '../groups/copies.ts'

/**
 * S04. The same ids again. The first copy is not counted: it is the others that should not be there. Short answers are the same by chance,
 * and those that the policy gives often: they are copies where a record is in two files, or twice in one under an id of its own. Of a rollout that
 * is several rows, each is a copy where all are: two that begin with the same call are two.
 */
export const duplicates: Check = {
  code: 'S04',
  name: 'duplicate-rows',
  title: 'The same rollout is present more than once',
  hypotheses: [],
  severity: 'info',
  unit: 'trajectory',
  needs: ['ids'],
  looksAt: 'rollouts',
  why: 'A replayed rollout is trained twice, and a group with copies holds fewer samples than it claims.',
  fix: 'Look for a row that was written or loaded twice; within a group, look at the temperature and the sampling seed.',
  cite: 'ms-swift#3450',
  dump: lookAtRows,
}

function* lookAtRows(view: DumpView, report: DumpReporter): Steps<void> {
  const { facts } = view
  const columns = new FactColumns(facts)
  const [hasIds, lengths] = [columns.present('idsHash'), columns.numbers('realLength')]
  yield 0
  const like = new LikeRows([...columns.digests('idsHash'), yield* severalRows(facts, columns)])
  const likenessOf = yield* within(0, 0.4, likenesses(view, columns))
  const areOfOneGroup = sameGroup(view)
  const count = (row: TrajectoryFacts, original: TrajectoryFacts | undefined) => {
    lookAt(row, original, original !== undefined && areOfOneGroup(row, original), report)
  }
  const again: { facts: TrajectoryFacts; original: TrajectoryFacts }[] = []
  const look = (row: TrajectoryFacts, at: number) => {
    // Rows of nothing but padding are all alike, and copies of none.
    if (hasIds[at] === 0 || lengths[at] === 0) return
    const first = like.firstLike(at)
    const original = first === at ? undefined : facts[first]
    const likeness = likenessOf(row, at)
    if (original !== undefined && likeness === 'same record') again.push({ facts: row, original })
    else count(row, likeness === 'copy' ? original : undefined)
  }
  yield* within(0.4, 0.8, forEachOf(facts, look))
  // Without an id of their own, two records of short answers are equal by chance as well.
  const areCopies = again.length > 0 && (yield* within(0.8, 0.9, namesRollouts(facts)))
  const lookAgain = (each: (typeof again)[number]) => count(each.facts, areCopies ? each.original : undefined)
  yield* within(0.9, 1, forEachOf(again, lookAgain))
}

/** Counts a rollout, and names it where it is a copy of another. */
function lookAt(
  facts: TrajectoryFacts,
  original: TrajectoryFacts | undefined,
  isOfGroup: boolean,
  report: DumpReporter,
): void {
  report.unit(original !== undefined)
  report.place(original !== undefined)
  if (original === undefined) return
  const sameSource = facts.place.source === original.place.source
  report.fault({
    member: facts,
    affectedTokens: facts.trained ?? 0,
    affectedWeight: facts.weight ?? 0,
    message: `All ${facts.realLength} ids are those of ${nameOf(original)}${isOfGroup ? ', of the same group' : sameSource ? '' : ', of another file'}`,
    evidence: {
      copy_of: original.id,
      copy_of_place: original.place,
      same_group: isOfGroup,
      ids_hash: facts.idsHash,
      rewards: [original.reward, facts.reward],
      identical_records: facts.recordHash === original.recordHash && !isOfOneRecord(facts, original),
    },
  })
}

/**
 * Whether two rollouts are of one group, by the groups of the dump, which may be told by nothing but the order of rows. Those are asked from the first copy on;
 * what one rollout was stored as beside its first sequence is in none of them, but has its key.
 */
function sameGroup({ groups }: DumpView): (a: TrajectoryFacts, b: TrajectoryFacts) => boolean {
  let groupOf: Map<TrajectoryFacts, GroupView> | null = null
  const ask = (row: TrajectoryFacts) => {
    groupOf ??= new Map(groups.flatMap((group) => group.members.map((member) => [member, group] as const)))
    return groupOf.get(row)
  }
  return (a, b) => {
    const group = ask(a)
    if (group !== undefined && group === ask(b)) return true
    return a.place.source === b.place.source && a.group !== null && a.group === b.group && a.step === b.step
  }
}

/**
 * Tells, rollout by rollout, whether another one like it would be there by chance (`chance`), as where nothing of either was sampled, or not (`copy`). Of those that would, one whose
 * record was in another file is a copy, and `same record` one whose record was in this file under this id.
 */
function* likenesses(
  { groups, facts, settings: { thresholds } }: DumpView,
  columns: FactColumns,
): Steps<(row: TrajectoryFacts, at: number) => 'chance' | 'copy' | 'same record'> {
  const often = new Set<TrajectoryFacts>()
  const addOften = (group: GroupView) => {
    for (const row of equalByChance(group, thresholds)) for (const part of partsOf(group, row)) often.add(part)
  }
  yield* forEachOf(groups, addOften)
  const sampled = columns.sums('assistantLengths')
  const isPromptAlone = promptsAlone(columns)
  const parts = Uint32Array.from(columns.numbers('place', 'part'))
  const like = new LikeRows([...columns.digests('recordHash'), parts])
  return (row, at) => {
    const tokens = sampled[at] as number
    const isLong = tokens === 0 || tokens >= thresholds['duplicate-tokens']
    if (isLong && isPromptAlone[at] === 0 && !often.has(row)) return 'copy'
    const before = like.firstLike(at)
    if (before === at) return 'chance'
    const first = facts[before] as TrajectoryFacts
    if (first.place.source !== row.place.source) return 'copy'
    // An id that was made up from the place is another one.
    return first.id === row.id ? 'same record' : 'chance'
  }
}

/** Rows that hold their prompt and nothing else, 1 in each of their places: those of a group are alike, and none of them is another rollout again. */
function promptsAlone(columns: FactColumns): Uint8Array {
  const isAlone = columns.holds('endReason', (reason) => reason === 'prompt-only')
  const trained = columns.numbers('trained')
  const prompts = columns.numbers('promptLength')
  const lengths = columns.numbers('realLength')
  for (let at = 0; at < isAlone.length; at++) {
    if (prompts[at] === lengths[at]) isAlone[at] = 1
    if (trained[at] !== 0) isAlone[at] = 0
  }
  return isAlone
}

/** What rollouts of several rows are, as a number for each of their rows: the same of two where all their rows are; 0 for a rollout of one row. */
function* severalRows(facts: readonly TrajectoryFacts[], columns: FactColumns): Steps<Uint32Array> {
  const numbers = new Uint32Array(facts.length)
  if (columns.isEmpty('branchOf')) return numbers
  const rollouts = new Map<string, number[]>()
  const add = (row: TrajectoryFacts, at: number) => {
    const key = storedRollout(row)
    if (key === null) return
    const rows = rollouts.get(key)
    if (rows === undefined) rollouts.set(key, [at])
    else rows.push(at)
  }
  yield* within(0, 0, forEachOf(facts, add))
  const numberOf = new Map<string, number>()
  for (const rows of rollouts.values()) {
    const ids = idsOf(rows.map((at) => facts[at] as TrajectoryFacts))
    if (ids === null || !ids.includes(' ')) continue
    const number = numberOf.get(ids) ?? numberOf.size + 1
    numberOf.set(ids, number)
    for (const at of rows) numbers[at] = number
  }
  return numbers
}

/** Whether an id stands for one record of its step, rather than for a prompt that several records answer. */
function* namesRollouts(all: readonly TrajectoryFacts[]): Steps<boolean> {
  const records = new Map<string, string>()
  let named = true
  yield* forEachOf(all, ({ id, step, place, recordHash }) => {
    const key = `${place.source} ${place.part} ${step} ${id}`
    const known = records.get(key)
    if (known === undefined) records.set(key, recordHash)
    else if (known !== recordHash) named = false
  })
  return named
}

/** An id may be there and be empty: then its place tells which one is meant. */
function nameOf({ id, line, place }: TrajectoryFacts): string {
  if (id.trim() !== '') return `rollout ${id}`
  return line === undefined ? `record ${place.record}` : `the rollout of line ${line}`
}

/** Two trajectories of one record, such as the members of a group line. */
function isOfOneRecord(a: TrajectoryFacts, b: TrajectoryFacts): boolean {
  return a.place.source === b.place.source && a.place.record === b.place.record
}
