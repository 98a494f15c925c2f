import type { Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { type AdvantageScheme, type Candidate, recomputeAdvantages } from './advantages.ts'
import { rangeOf } from './statistics.ts'

/** Rows of one step, as indices into the facts, that advantages may have been taken over. */
export type Rows = Int32Array

/** Rows that are not a group, over which a known formula gives the stored advantages. */
export interface OtherGrouping {
  /** How many rows each advantage was taken over. */
  readonly size: number
  /** Rows from one of them to the next: 1 where they stand together. */
  readonly stride: number
  readonly scheme: AdvantageScheme
  readonly eps: number | null
  /** Rows that train nothing were left out before. */
  readonly ofTraining: boolean
  /** Groups whose rollouts have advantages of such rows. */
  readonly groups: ReadonlySet<GroupView>
}

/** Rows and groups of the run, or of one step. */
export type Part = Pick<DumpView, 'facts' | 'groups' | 'settings'>

/** Whether no group is torn by windows of rows: then they are parts of a batch, over which a baseline may be meant. */
export function haveWholeGroups(
  windows: readonly Int32Array[],
  facts: readonly TrajectoryFacts[],
  groups: readonly GroupView[],
): boolean {
  const groupOf = new Map<TrajectoryFacts, GroupView>()
  const sizes = new Map<GroupView, number>()
  for (const group of groups) {
    // A rollout may be several rows.
    const own = group.members.flatMap((member) => group.parts?.get(member) ?? [member])
    for (const row of own) groupOf.set(row, group)
    sizes.set(group, own.length)
  }
  return windows.every((rows) => {
    const counts = new Map<object, { group: GroupView; rows: number }>()
    for (const row of rows) {
      const group = groupOf.get(facts[row] as TrajectoryFacts)
      if (group === undefined) return false
      const known = counts.get(group)
      if (known === undefined) counts.set(group, { group, rows: 1 })
      else known.rows++
    }
    return [...counts.values()].every(({ group, rows }) => rows === sizes.get(group))
  })
}

/** A prompt is the same whether its begin-of-sequence token is there once or twice (T01). */
export function haveSeveralPrompts(rows: readonly TrajectoryFacts[]): boolean {
  const prompt = rows[0]?.oneBosHash ?? rows[0]?.promptHash
  return rows.some(({ oneBosHash, promptHash }) => (oneBosHash ?? promptHash) !== prompt)
}

/** The formula that gives the advantages of nearly all windows; null where none does, or too few have different rewards. */
export function* fittingCut(
  windows: readonly Rows[],
  tried: readonly Candidate[],
  rewards: Float64Array,
  advantages: Float64Array,
  thresholds: Thresholds,
): Steps<Candidate | null> {
  const tolerance = thresholds['advantage-tolerance']
  const misses = new Float64Array(tried.length)
  const allowed = (1 - thresholds['factor-share']) * windows.length
  let left = tried.map((_, at) => at)
  let informative = 0
  for (let at = 0; at < windows.length && left.length > 0; at++) {
    const own = Array.from(windows[at] as Rows, (row) => rewards[row] as number)
    const stored = Array.from(windows[at] as Rows, (row) => advantages[row] as number)
    if (rangeOf(own) > thresholds['same-reward']) informative++
    const largest = stored.reduce((most, each) => Math.max(most, Math.abs(each)), 0)
    for (const i of left) {
      const { scheme, eps } = tried[i] as Candidate
      const made = recomputeAdvantages(scheme, own, eps ?? 0)
      if (made.some((each, row) => !(Math.abs(each - (stored[row] as number)) <= tolerance * largest + ROUNDING)))
        misses[i] = (misses[i] as number) + 1
    }
    left = left.filter((i) => (misses[i] as number) <= allowed)
    yield at / windows.length
  }
  if (informative < thresholds['shifted-windows']) return null
  const [best] = left.sort((a, b) => (misses[a] as number) - (misses[b] as number) || a - b)
  return best === undefined ? null : (tried[best] as Candidate)
}

/** What float64 leaves where nothing should be left: of rewards that are all the same. */
const ROUNDING = 1e-9
