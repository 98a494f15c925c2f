import { count } from '../../model/number-text.ts'
import type { Severity } from '../../model/report.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { DumpView, GroupView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/**
 * What a reward that is no number did to the advantages of its group.
 * - `spared`: they are numbers, or the group has none while others have theirs: the trainer left the rollout out, or put another reward in its place
 * - `lost`: they are none either
 * - `alone`: its own is none, while others of the group have theirs
 * - `untold`: nothing that is stored tells, and the rollout carries loss
 */
type FateOfGroup = 'spared' | 'lost' | 'alone' | 'untold'

/** What A10 tells of a rollout whose reward is no number. */
export interface BrokenReward {
  /** Absent where it is a note. */
  readonly severity?: Severity
  readonly message: string
  /** Null where it has no group, stands alone in it, or trains nothing and nothing tells. */
  readonly fate: FateOfGroup | null
}

export function hasBrokenReward({ reward }: Pick<TrajectoryFacts, 'reward'>): boolean {
  return reward !== null && !Number.isFinite(reward)
}

/**
 * How such rollouts are told of. What is untold is more than a note where most groups have such a reward: a few may be what a trainer leaves out.
 *
 * @param counts rollouts that have a reward, and those of them that have none that is a number
 * @param noneCounts all of them, of many, so that no group of the run has a mean
 */
export function* tellingOfBroken(
  view: DumpView,
  counts: { readonly rewarded: number; readonly broken: number },
  noneCounts: boolean,
): Steps<(row: TrajectoryFacts) => BrokenReward> {
  const { fates, groups, untold } = yield* findingFates(view)
  const { 'systematic-units': units, 'broken-reward-groups': share } = view.settings.thresholds
  // So many may be rollouts that were never scored, written by a table that has no null: a row of each call, that is paid at the last.
  const mayBeAbsent = 2 * counts.broken >= counts.rewarded
  const mostly = !mayBeAbsent && untold >= units && untold > share * groups
  const ofMost = mostly ? `, as ${count(untold)} of ${count(groups)} groups have one` : ''
  return (row) => {
    const fate = fates.get(row) ?? null
    const severity =
      noneCounts || fate === 'lost' || fate === 'alone' ? 'error' : fate === 'untold' && mostly ? 'warning' : null
    return {
      ...(severity === null ? {} : { severity }),
      message: `The reward is ${valueText(row)}${fate === null ? '' : fateText(fate, row.group, ofMost)}`,
      fate,
    }
  }
}

function valueText({ reward }: TrajectoryFacts): string {
  return Number.isNaN(reward) ? 'NaN, which is no number' : `${reward}, which is no finite number`
}

function fateText(fate: FateOfGroup, group: string | null, ofMost: string): string {
  const name = group === null ? 'its group' : `its group ${group}`
  if (fate === 'spared') return `; the trainer left the rollout out of ${name}, or put another reward in its place`
  if (fate === 'alone') return ', and so is its advantage'
  const neither = `: neither are then the mean and the advantages of ${name}`
  return fate === 'lost' ? neither : `${neither}, unless the trainer leaves it out${ofMost}`
}

interface Fates {
  /** By rollout; those of no group, and those that tell nothing and train nothing, have no entry. */
  readonly fates: ReadonlyMap<TrajectoryFacts, FateOfGroup>
  /** Groups of two rollouts or more, and those of them whose fate is untold. */
  readonly groups: number
  readonly untold: number
}

function* findingFates({ facts, groups }: DumpView): Steps<Fates> {
  const fates = new Map<TrajectoryFacts, FateOfGroup>()
  const stored = storedAdvantages(facts)
  let [several, untold] = [0, 0]
  const look = ({ members }: GroupView) => {
    if (members.length < 2) return
    several++
    const broken = members.filter(hasBrokenReward)
    if (broken.length === 0) return
    const fate = fateOf(members, stored)
    // A rollout that trains nothing may be one that the trainer left out.
    const meant = fate === 'untold' ? broken.filter(({ trained }) => (trained ?? 0) > 0) : broken
    for (const row of meant) fates.set(row, fate === 'spared' && row.brokenAdvantage !== undefined ? 'alone' : fate)
    if (fate === 'untold' && meant.length > 0) untold++
  }
  yield* forEachOf(groups, look)
  return { fates, groups: several, untold }
}

/** Whether any rollout has an advantage that is a number, and whether most of those that train have one. */
interface StoredAdvantages {
  readonly any: boolean
  readonly most: boolean
}

function storedAdvantages(facts: readonly TrajectoryFacts[]): StoredAdvantages {
  let [stored, training] = [0, 0]
  for (const part of new FactColumns(facts).parts()) {
    for (const has of part.present('maxAdvantage')) stored += has
    for (const tokens of part.numbers('trained')) if (tokens > 0) training++
  }
  return { any: stored > 0, most: stored * 2 > training }
}

function fateOf(members: readonly TrajectoryFacts[], { any, most }: StoredAdvantages): FateOfGroup {
  const hasNumbers = members.some(({ maxAdvantage }) => maxAdvantage !== null)
  const isLost = (row: TrajectoryFacts) => row.brokenAdvantage !== undefined && !(hasNumbers && hasBrokenReward(row))
  if (members.some(isLost)) return 'lost'
  if (hasNumbers) return 'spared'
  // Arrays without a number are nulls of a dump that was written before there were any, or NaN: only the others tell.
  if (members.some(lacksAdvantages)) return most ? 'lost' : 'untold'
  return any ? 'spared' : 'untold'
}

function lacksAdvantages({ noNumbers, trained }: TrajectoryFacts): boolean {
  return (trained ?? 0) > 0 && noNumbers?.includes('advantages') === true
}

/**
 * Rollouts whose advantage is no number because a reward is none, each with a byte 1: those of its group, and all of its step where none
 * there has one, since what divides may be a std over the whole step.
 */
export function advantagesLost({ facts, groups }: Pick<DumpView, 'facts' | 'groups'>): Uint8Array {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('brokenAdvantage') && columns.isEmpty('noNumbers')) return new Uint8Array(facts.length)
  const inGroups = new Set<TrajectoryFacts>()
  for (const { members, parts } of groups) {
    if (!members.some(hasBrokenReward)) continue
    for (const row of members) for (const part of parts?.get(row) ?? [row]) inGroups.add(part)
  }
  const [broken, whole] = stepsOf(facts)
  return Uint8Array.from(facts, (row) => {
    const isLost = row.brokenAdvantage !== undefined || lacksAdvantages(row)
    return isLost && (inGroups.has(row) || (broken.has(row.step) && !whole.has(row.step))) ? 1 : 0
  })
}

/** Steps in which a reward is no number, and those in which an advantage is one. */
function stepsOf(facts: readonly TrajectoryFacts[]): [ReadonlySet<number | null>, ReadonlySet<number | null>] {
  const [broken, whole] = [new Set<number | null>(), new Set<number | null>()]
  for (const row of facts) {
    if (hasBrokenReward(row)) broken.add(row.step)
    if (row.maxAdvantage !== null) whole.add(row.step)
  }
  return [broken, whole]
}
