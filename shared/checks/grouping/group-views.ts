import { atOnce, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { GroupView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { againInStep } from './again-in-step.ts'
import { groupsOfPrompts } from './counted-keys.ts'
import { groupSizeByQuestions, repeatedQuestions } from './group-size-by-questions.ts'
import { sizesByAdvantages } from './own-sizes.ts'
import { arePartsOfGroups, isOfOnePrompt } from './split-groups.ts'

export interface GroupOptions {
  /** Given by the person; null = what the dump declares, else the commonest size, else, by order, as many as answer one question. */
  readonly groupSize: number | null
  /** The format's own: without keys, `group_size` consecutive rows are one group. */
  readonly groupsByOrder: boolean
  /** The format's own: no key is used again in a later step, so that rows of several steps may be one group. */
  readonly groupsSpanSteps?: boolean
  /** By source, the one within whose files a key counts, where its files hold one rollout each; absent = each source has its own keys. */
  readonly keysOf?: readonly number[]
  /** By source, the first of the files that the ranks of one run wrote; absent where no file is named after its rank. */
  readonly ranksOf?: readonly number[]
  /** Names of the sources, no two alike, by which groups of one key are told apart. */
  readonly names?: readonly string[]
  /** By source, keys of groups of which a record could not be read; absent where there is none. */
  readonly unread?: readonly ReadonlySet<string>[]
}

/**
 * The groups of a dump, in the order of their first member.
 *
 * A group is the rows that share a key within one step, or, as some formats have it, within the run; rows without a key belong to none.
 * Where no row has a key and the format says that consecutive rows are groups, they are counted off, source by source and step by step: as many
 * as are given or declared, else as many as answer one question each.
 *
 * A group is complete when its size is the given one, else the one its members declare, else the commonest of the dump (2 or more), else one that
 * advantages show to be whole (`own-sizes.ts`), and every member has a finite reward: samples, one rank of many or a run still written give incomplete ones. Files that ask each question
 * once, as validation between steps does, say nothing of how large the groups of the others are. Nor do groups of which a record could not be read, and none of
 * them is whole unless a size that is given or declared says so.
 */
export function buildGroups(facts: readonly TrajectoryFacts[], options: GroupOptions): GroupView[] {
  return atOnce(grouping(facts, options)).groups
}

export interface Grouping {
  readonly groups: GroupView[]
  /** That they should have: given, else declared, else the commonest; null without groups. */
  readonly groupSize: number | null
  /** Where nothing but questions that are repeated told how large they are, how large; else null. */
  readonly sizeOfQuestions: number | null
}

export function* grouping(facts: readonly TrajectoryFacts[], options: GroupOptions): Steps<Grouping> {
  const { first, parts } = oncePerRollout(facts)
  const { buckets: stored, sizeOfQuestions } = yield* within(0, 0.5, collect(first, options))
  const sizeOfKeys = commonestSize(stored)
  const ofPrompts = sizeOfQuestions === null ? yield* within(0.5, 0.6, groupsOfPrompts(stored, sizeOfKeys)) : null
  const buckets = ofPrompts ?? stored
  const askingOnce = sourcesAskingOnce(buckets, options.keysOf)
  const isTorn = ({ members: [first] }: Bucket) =>
    first !== undefined && first.group !== null && options.unread?.[first.place.source]?.has(first.group) === true
  const counted = buckets.filter(({ members }) => !askingOnce.has(sourceOf(members, options.keysOf)))
  const common =
    ofPrompts !== null
      ? sizeOfKeys
      : commonestSize(options.unread === undefined ? counted : counted.filter((bucket) => !isTorn(bucket)))
  const ownSizes =
    common === null && options.groupSize === null && !buckets.some(({ members }) => isByCall(members))
      ? yield* within(0.6, 0.65, sizesByAdvantages(counted))
      : null
  const groups: GroupView[] = []
  const add = (bucket: Bucket) => {
    const { id, members } = bucket
    const isAskedOnce = askingOnce.size > 0 && members.length === 1 && askingOnce.has(sourceOf(members, options.keysOf))
    const told = options.groupSize ?? declaredSize(members)
    const size = told ?? (isTorn(bucket) ? null : (common ?? (ownSizes?.has(members.length) ? members.length : null)))
    const complete = size !== null && members.length === size && size > 1 && members.every(hasReward)
    const rewards = complete ? members.map(({ reward }) => reward as number) : null
    groups.push({
      id,
      members,
      complete,
      ...(rewards === null ? {} : { rewards }),
      ...(parts === null ? {} : { parts }),
      ...(isAskedOnce ? { isAskedOnce: true } : {}),
    })
  }
  yield* within(0.65, 0.9, forEachOf(buckets, add))
  return { groups, groupSize: options.groupSize ?? declaredSizeOfAll(facts) ?? common, sizeOfQuestions }
}

interface Bucket {
  readonly id: string
  readonly members: TrajectoryFacts[]
}

function* collect(
  facts: readonly TrajectoryFacts[],
  options: GroupOptions,
): Steps<{ readonly buckets: Bucket[]; readonly sizeOfQuestions: number | null }> {
  yield 0.1
  if (new FactColumns(facts).present('group').includes(1)) {
    return { buckets: yield* within(0.1, 1, byKey(facts, options)), sizeOfQuestions: null }
  }
  if (!options.groupsByOrder) return { buckets: [], sizeOfQuestions: null }
  const questions = yield* within(0.1, 0.6, repeatedQuestions(facts))
  const told = options.groupSize ?? declaredSizeOfAll(facts)
  const sizeOfQuestions = told === null ? groupSizeByQuestions(questions, facts) : null
  const size = told ?? sizeOfQuestions
  if (size === null || size < 2) return { buckets: [], sizeOfQuestions }
  const { askingOnce, unknown } = questions
  const isLeftOut = (source: number) => askingOnce.has(source) || (told === null && unknown.has(source))
  return { buckets: byOrder(facts, size, isLeftOut), sizeOfQuestions }
}

interface OncePerRollout {
  readonly first: readonly TrajectoryFacts[]
  /** All sequences of those that are several, by their first; null where every rollout is one. */
  readonly parts: ReadonlyMap<TrajectoryFacts, readonly TrajectoryFacts[]> | null
}

/** A rollout that was stored as several trajectories was rewarded once: its first stands for it. */
function oncePerRollout(facts: readonly TrajectoryFacts[]): OncePerRollout {
  if (new FactColumns(facts).isEmpty('branchOf')) return { first: facts, parts: null }
  const firstOf = new Map<string, TrajectoryFacts>()
  const parts = new Map<TrajectoryFacts, TrajectoryFacts[]>()
  const isFirst = (row: TrajectoryFacts) => {
    const key = storedRollout(row)
    const first = key === null ? undefined : firstOf.get(key)
    if (first !== undefined) entry(parts, first, () => [first]).push(row)
    else if (key !== null) firstOf.set(key, row)
    return first === undefined
  }
  return { first: facts.filter(isFirst), parts: parts.size === 0 ? null : parts }
}

/** What the sequences that one rollout was stored as have in common, and no others; null for a rollout that is one trajectory. */
export function storedRollout({ place, branchOf, step }: TrajectoryFacts): string | null {
  return branchOf === null ? null : `${place.source}\n${step ?? ''}\n${branchOf}`
}

function* byKey(facts: readonly TrajectoryFacts[], options: GroupOptions): Steps<Bucket[]> {
  const steps = new Map<string, Map<number | null, TrajectoryFacts[]>>()
  let [last, members]: [TrajectoryFacts | null, TrajectoryFacts[]] = [null, []]
  const addRow = (row: TrajectoryFacts) => {
    if (row.group === null) return
    // The rows of a group mostly stand beside each other.
    if (last === null || last.group !== row.group || last.step !== row.step) {
      const bySteps = entry(steps, row.group, () => new Map<number | null, TrajectoryFacts[]>())
      members = entry(bySteps, options.groupsSpanSteps ? null : row.step, () => [])
      last = row
    }
    members.push(row)
  }
  yield* within(0, 0.6, forEachOf(facts, addRow))
  const buckets: { key: string; step: number | null; members: TrajectoryFacts[] }[] = []
  for (const [key, bySteps] of steps) for (const [step, members] of bySteps) buckets.push({ key, step, members })

  // A key counts within its file, or within its folder of one rollout a file: two evaluations number their questions alike. The ranks of one
  // run do share a group between files, which a declared size can tell (no file has the group whole, all of them together do), or files named after ranks,
  // or advantages.
  const size = options.groupSize ?? declaredSizeOfAll(facts)
  yield 0.7
  const found: { key: string; step: number | null; again: number; members: TrajectoryFacts[] }[] = []
  const split = buckets.map((bucket) => ({ ...bucket, parts: bySource(bucket.members, options.keysOf) }))
  const byAdvantages = size === null && arePartsOfGroups(split)
  const addParts = ({ key, step, members, parts }: (typeof split)[number]) => {
    const shared =
      size === null
        ? parts.length > 1 && (byAdvantages || areOfRanks(members, options.ranksOf))
        : members.length === size && parts.every((part) => part.length < size)
    for (const part of shared ? [members] : parts) {
      const runs = size === null ? null : againInStep(part, size)
      for (const [again, run] of (runs ?? [part]).entries()) found.push({ key, step, again, members: run })
    }
  }
  yield* within(0.7, 0.8, forEachOf(split, addParts))
  const uses = new Map<string, number>()
  const addUse = ({ key }: (typeof found)[number]) => void uses.set(key, (uses.get(key) ?? 0) + 1)
  yield* within(0.8, 0.9, forEachOf(found, addUse))
  const isOneFile = facts[0]?.place.source === facts.at(-1)?.place.source
  const named: Bucket[] = []
  const name = ({ key, step, again, members }: (typeof found)[number]) => {
    const ofSteps = steps.get(key)?.size ?? 1
    const source = isOneFile || ofSteps === uses.get(key) ? null : nameOf(members, options.names)
    const id = uses.get(key) === 1 ? key : qualifiedId(key, step, source, ofSteps > 1)
    named.push({ id: again === 0 ? id : `${id} (again, ${again + 1})`, members })
  }
  yield* within(0.9, 1, forEachOf(found, name))
  return named
}

/** A key with what tells it from others of its name: the file and the step, as far as they do. */
function qualifiedId(key: string, step: number | null, source: string | null, isOfSteps: boolean): string {
  const ofStep = step !== null ? `step ${step}` : isOfSteps && source === null ? 'no step' : null
  const parts = [source, ofStep].filter((part) => part !== null)
  return parts.length === 0 ? key : `${key} (${parts.join(', ')})`
}

function nameOf([first]: readonly TrajectoryFacts[], names: readonly string[] = []): string {
  const source = first?.place.source ?? 0
  return names[source] ?? `file ${source + 1}`
}

function byOrder(facts: readonly TrajectoryFacts[], size: number, isLeftOut: (source: number) => boolean): Bucket[] {
  const buckets: Bucket[] = []
  let last: Bucket | null = null
  let previous: TrajectoryFacts | null = null
  for (const row of facts) {
    if (isLeftOut(row.place.source)) continue
    const goesOn: boolean =
      previous !== null && previous.place.source === row.place.source && previous.step === row.step
    if (last === null || !goesOn || last.members.length === size) {
      last = { id: String(buckets.length), members: [] }
      buckets.push(last)
    }
    last.members.push(row)
    previous = row
  }
  return buckets
}

/** The size that members declare, where they agree. Each that does speaks for as many as it has: a single row of a larger group is a slip. */
export function declaredSize(members: readonly TrajectoryFacts[]): number | null {
  let [size, telling]: [number | null, number] = [null, 0]
  for (const { groupSize } of members) {
    if (groupSize === null) continue
    if (size !== null && size !== groupSize) return null
    size = groupSize
    telling++
  }
  return size !== null && telling * size >= members.length ? size : null
}

/** The same of all rollouts: those that speak do so for half of them at least, since of a group the one row that declares its size may be lost. */
function declaredSizeOfAll(facts: readonly TrajectoryFacts[]): number | null {
  let [size, telling]: [number | null, number] = [null, 0]
  for (const part of new FactColumns(facts).parts()) {
    const [has, sizes] = [part.present('groupSize'), part.numbers('groupSize')]
    for (let row = has.indexOf(1); row >= 0; row = has.indexOf(1, row + 1)) {
      if (size !== null && size !== sizes[row]) return null
      size = sizes[row] as number
      telling++
    }
  }
  return size !== null && telling * size * 2 >= facts.length ? size : null
}

/**
 * The larger of two equally common sizes: what is missing from a group is likelier than what is too much. Null where most groups have other sizes: of
 * rollouts that are stored by call, and of groups that were filtered, none is known to be whole.
 */
function commonestSize(buckets: readonly Bucket[]): number | null {
  const counts = new Map<number, number>()
  for (const { members } of buckets) {
    if (!isByCall(members)) counts.set(members.length, (counts.get(members.length) ?? 0) + 1)
  }
  let best: number | null = null
  for (const [size, count] of counts) {
    const leader = best === null ? 0 : (counts.get(best) as number)
    if (best === null || count > leader || (count === leader && size > best)) best = size
  }
  return best !== null && (counts.get(best) as number) * 2 >= buckets.length ? best : null
}

/**
 * Files, or folders of one rollout each, most of whose groups are one rollout, where others hold more: how many rollouts a prompt has is another
 * matter there. None where all are like that.
 */
function sourcesAskingOnce(buckets: readonly Bucket[], keysOf: GroupOptions['keysOf']): ReadonlySet<number> {
  const excess = new Map<number, number>()
  for (const { members } of buckets) {
    const source = sourceOf(members, keysOf)
    excess.set(source, (excess.get(source) ?? 0) + (members.length === 1 ? 1 : -1))
  }
  const asking = new Set<number>()
  for (const [source, more] of excess) if (more > 0) asking.add(source)
  return asking.size === excess.size ? new Set() : asking
}

function sourceOf(members: readonly TrajectoryFacts[], keysOf: GroupOptions['keysOf']): number {
  const { source } = (members[0] as TrajectoryFacts).place
  return keysOf?.[source] ?? source
}

/** Some rows go on behind the prompt that others have: rollouts are stored by call, each as often as the model was asked. */
function isByCall(members: readonly TrajectoryFacts[]): boolean {
  const first = members.find(({ rootHash }) => rootHash !== undefined)
  return first !== undefined && members.some(({ rootHash, promptHash }) => !rootHash && promptHash === first.rootHash)
}

function bySource(members: TrajectoryFacts[], keysOf: GroupOptions['keysOf']): TrajectoryFacts[][] {
  const sourceOf = ({ place }: TrajectoryFacts) => keysOf?.[place.source] ?? place.source
  const first = members[0] && sourceOf(members[0])
  if (members.every((row) => sourceOf(row) === first)) return [members]
  const sources = new Map<number, TrajectoryFacts[]>()
  for (const row of members) entry(sources, sourceOf(row), () => []).push(row)
  return [...sources.values()]
}

/** All lie in files of the ranks of one run, and have one prompt: ranks that number their groups each for itself have others. */
function areOfRanks(members: readonly TrajectoryFacts[], ranksOf: GroupOptions['ranksOf']): boolean {
  const [first] = members
  if (ranksOf === undefined || first === undefined) return false
  const ranks = ranksOf[first.place.source]
  return isOfOnePrompt(members) && members.every(({ place }) => ranksOf[place.source] === ranks)
}

function hasReward(row: TrajectoryFacts): boolean {
  return row.reward !== null && Number.isFinite(row.reward)
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
