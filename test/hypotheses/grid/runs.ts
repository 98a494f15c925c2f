import type { AuditOptions } from '../../../shared/model/policy.ts'
import type { Report } from '../../../shared/model/report.ts'
import { singleTurnConversations } from '../../planted/conversation.ts'
import { cleanDump, copyOf, type DumpPlan, inGroups, type PlantedDump, SINGLE_TURN } from '../../planted/dump.ts'
import type { FamilyName } from '../../planted/families.ts'
import type { PlantedRollout } from '../../planted/rollout.ts'
import { credit } from '../../planted/scores.ts'
import { type FormatName, writerOf } from '../../planted/writers/registry.ts'
import { audited } from '../../session/dumps.ts'
import { testHost } from '../../session/test-host.ts'

/** A run as its trainer leaves it: a sound dump, changed in one respect. */
export interface Run {
  readonly family: FamilyName
  readonly format: FormatName
  readonly plan?: DumpPlan
  /** Damages the dump in place; advantages are computed again afterwards, unless `keepAdvantages`. */
  readonly change?: (dump: PlantedDump) => void
  readonly keepAdvantages?: boolean
  readonly options?: AuditOptions
  /** Taken for the name of the draw: two runs of one name have the same questions. */
  readonly name?: string
}

const clean = new Map<string, Promise<PlantedDump>>()
const plans: (DumpPlan | undefined)[] = []

async function dumpOf({ family, format, plan, change, keepAdvantages, name }: Run): Promise<PlantedDump> {
  if (!plans.includes(plan)) plans.push(plan)
  const key = `${name ?? 'grid'} ${family} ${plans.indexOf(plan)}`
  const padding = format === 'nemo-rl' ? 'right' : 'none'
  const drawn = clean.get(key) ?? cleanDump(`grid ${key}`, family, { groups: 8, padding, ...plan })
  clean.set(key, drawn)
  const given = await drawn
  const dump = { ...given, rollouts: given.rollouts.map(copyOf) }
  change?.(dump)
  if (!keepAdvantages) for (const members of inGroups(dump.rollouts)) credit(members, dump.scheme)
  return dump
}

/** What is said of a run, held against a second one where there is one; and the dump that it is said of. */
export async function judged(run: Run, against: Run | null): Promise<{ report: Report; dump: PlantedDump }> {
  const dump = await dumpOf(run)
  const session = async (of: PlantedDump, { format, options }: Run, hooks = {}) => {
    const written = writerOf(format).write(of)
    return audited(written.text, { ...written.options, ...options }, testHost(), hooks)
  }
  if (against === null) return { report: (await session(dump, run)).report(), dump }
  // Both runs are audited under what was declared of the first.
  const second = await session(await dumpOf(against), { ...against, options: { ...run.options, ...against.options } })
  return { report: (await session(dump, run, { against: second.secondRun() })).report(), dump }
}

/** A task of one turn over 24 groups: the problems of three draws. */
export const LONG_SINGLE_TURN: DumpPlan = {
  ...SINGLE_TURN,
  groups: 24,
  conversations: (_family, seed) =>
    [0, 1, 2].flatMap((round) =>
      singleTurnConversations(`${seed} ${round}`, 8).map((one) => ({
        ...one,
        id: `${round}-${one.id}`,
        group: `${round}-${one.group}`,
      })),
    ),
}

export const groupsOf = ({ rollouts }: PlantedDump) => inGroups(rollouts)

function reward(rollout: PlantedRollout, value: number): void {
  rollout.reward = value
  rollout.rewards = {}
}

/** Rewards of each group, member by member. */
export function rewardGroups(dump: PlantedDump, of: (group: number, member: number) => number): void {
  for (const [group, members] of inGroups(dump.rollouts).entries())
    for (const [member, rollout] of members.entries()) reward(rollout, of(group, member))
}

/** A training step for each group of eight. */
export function stepPerGroup(dump: PlantedDump): void {
  for (const [group, members] of inGroups(dump.rollouts).entries()) for (const member of members) member.step = group
}

export const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

export function std(values: readonly number[]): number {
  const middle = mean(values)
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1))
}

/** Share of what a test holds for. */
export const shareOf = <T>(all: readonly T[], holds: (one: T) => boolean) => all.filter(holds).length / all.length
