import type { GroupView } from '../../checks/check.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { saysBroken } from '../../checks/layout/broken-prefix.ts'
import { indexOfPlace } from '../concluding/fault-rows.ts'
import type { Relative, Relatives } from '../requests/rollout.ts'

/** More branches than this are not compared token by token. */
const MOST_COMPARED = 32

/** What is asked of a session to place a rollout among others. */
export interface RelativesSource {
  readonly facts: readonly TrajectoryFacts[]
  readonly groups: readonly GroupView[]
  /** Ids of a rollout, null where it has none. */
  ids(index: number): Promise<Int32Array | null>
}

/** The rollouts of the same group, and the sequences that the same rollout was cut into. Throws the signal's reason. */
export async function relativesOf(index: number, source: RelativesSource, signal?: AbortSignal): Promise<Relatives> {
  const { facts } = source
  const own = facts[index]
  if (own === undefined) throw new Error(`There is no rollout ${index}; ${facts.length} have been read.`)
  // A group counts a rollout once, whichever of its branches is looked at.
  const isOwn = (member: TrajectoryFacts) => member === own || isSameRollout(member, own)
  const group = own.group === null ? undefined : source.groups.find(({ members }) => members.some(isOwn))
  const siblings = (group?.members ?? []).flatMap((member) => relative(facts, isOwn(member) ? own : member))
  const branches = branchesOf(facts, own).flatMap((branch) => relative(facts, branch))
  if (branches.length < 2) return { siblings: sorted(siblings), branches: [] }
  const ids = await source.ids(index)
  const compared: Relatives['branches'][number][] = []
  for (const [position, branch] of sorted(branches).entries()) {
    signal?.throwIfAborted()
    const other = branch.index === index || position >= MOST_COMPARED ? null : await source.ids(branch.index)
    const shared = ids === null || other === null ? null : commonPrefix(ids, other)
    compared.push({ ...branch, shared, broken: saysBroken(facts[branch.index] as TrajectoryFacts) })
  }
  return { siblings: sorted(siblings), branches: compared }
}

/** Sequences of one rollout: those that the dump says are. */
function branchesOf(facts: readonly TrajectoryFacts[], own: TrajectoryFacts): readonly TrajectoryFacts[] {
  return facts.filter((other) => isSameRollout(other, own))
}

function isSameRollout(a: TrajectoryFacts, b: TrajectoryFacts): boolean {
  return (
    a.branchOf !== null &&
    a.branchOf === b.branchOf &&
    a.place.source === b.place.source &&
    a.step === b.step &&
    a.group === b.group
  )
}

function relative(facts: readonly TrajectoryFacts[], member: TrajectoryFacts): Relative[] {
  const index = indexOfPlace(facts, member.place)
  if (index < 0) return []
  const { id, reward, advantage, length } = member
  return [{ index, id, reward, advantage, length }]
}

function sorted<Row extends Relative>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => a.index - b.index)
}

/** Tokens that two rows begin with alike. */
function commonPrefix(a: Int32Array, b: Int32Array): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a[at] === b[at]) at++
  return at
}
