import type { DumpView } from '../../checks/check.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { plainFacts } from '../../checks/facts/kept-facts.ts'
import { batchDivisor, isBatchScaled, recomputeAdvantages } from '../../checks/groups/advantages.ts'
import { scalingOf } from '../../checks/groups/scaling.ts'
import { rewardsOf, unbiasedStd } from '../../checks/groups/statistics.ts'
import { stepScales } from '../../checks/groups/step-scales.ts'
import { batchKey, type LossType, lossWeights } from '../../checks/groups/token-weights.ts'
import { PARTS, type Part } from '../../model/tokens.ts'
import type { RolloutAnatomy } from './anatomy.ts'

/** How advantages are made of rewards: as the dump has them, or anew. */
export const LAB_SCALINGS = ['recorded', 'group', 'batch', 'none'] as const
export type LabScaling = (typeof LAB_SCALINGS)[number]

export interface LossSettings {
  readonly scaling: LabScaling
  /** Added to the std that divides. */
  readonly eps: number
  readonly lossType: LossType
  /** Rollouts of one micro-batch, for `bnpo`; null = the whole batch. */
  readonly localRows: number | null
}

/**
 * What the update rests on under some settings. The pull of a rollout is its share of Σ |advantage| · weight over all trained tokens of its
 * step; that of several, of a part or a turn is the mean over steps of what theirs come to. A step without any counts in no mean.
 */
export interface LossPicture {
  /** Rollouts whose advantage is known under the scaling, of all that train something. */
  readonly known: number
  readonly rollouts: number
  readonly largestAdvantage: number | null
  readonly meanAbsoluteAdvantage: number | null
  /** Complete groups, those whose advantages are all 0, and those whose std is blown up tenfold or more (`1 / (std + eps) ≥ 10`). */
  readonly groups: { readonly complete: number; readonly dead: number; readonly amplified: number }
  /**
   * By length, those that train fewest tokens first, in four parts of about as many rollouts; fewer where many are equally long. The
   * shortest and the longest of a part; no length is in two of them.
   */
  readonly byLength: readonly {
    readonly from: number
    readonly to: number
    readonly rollouts: number
    readonly share: number
    readonly pull: number | null
  }[]
  readonly byPart: readonly { readonly part: Part; readonly pull: number }[]
  /** By the 1-based ordinal of the assistant turn. */
  readonly byTurn: readonly { readonly turn: number; readonly pull: number }[]
  /** Rollouts that pull most, at most ten. */
  readonly most: readonly {
    readonly index: number
    readonly id: string
    readonly step: number | null
    readonly advantage: number | null
    readonly trained: number
    readonly pull: number
  }[]
  /** Counts of advantages in 24 equal bins from `-largest` to `largest`. */
  readonly advantages: readonly number[]
  /** The divisor of `dr_grpo`; `known` where it is a limit of the run. */
  readonly maxLength: { readonly value: number; readonly known: boolean }
}

const AMPLIFIED = 10
const MOST = 10
const BINS = 24
const QUARTERS = 4

/** @param anatomies by index of the rollout; those that are missing count in everything but parts and turns */
export function lossPicture(
  dump: DumpView,
  settings: LossSettings,
  anatomies: ReadonlyMap<number, RolloutAnatomy>,
): LossPicture {
  const indexOf = new Map(dump.facts.map((facts, index) => [facts, index]))
  const given = advantagesUnder(dump, settings)
  const facts = dump.facts.map((row) => ({ ...plainFacts(row), advantage: given.get(row) ?? null }))
  const original = new Map(facts.map((row, index) => [row, dump.facts[index] as TrajectoryFacts]))
  const { rollouts, maxLength } = lossWeights({ ...dump, facts }, settings.lossType, settings.localRows ?? undefined)
  const pulls = rollouts.map(({ facts: row, token }) => (row.weight ?? 0) * token * Math.abs(row.advantage ?? 0))
  const ofBatch = new Map<string, number>()
  for (const [i, { facts: row }] of rollouts.entries()) {
    ofBatch.set(batchKey(row), (ofBatch.get(batchKey(row)) ?? 0) + (pulls[i] as number))
  }
  const rows = rollouts.map(({ facts: row, share }, i) => {
    const inBatch = ofBatch.get(batchKey(row)) as number
    const index = indexOf.get(original.get(row) as TrajectoryFacts) as number
    const trained = row.weight ?? 0
    return {
      index,
      id: row.id,
      step: row.step,
      advantage: row.advantage,
      trained,
      share,
      pull: inBatch > 0 ? (pulls[i] as number) / inBatch : 0,
    }
  })
  const training = rows.filter(({ trained }) => trained > 0)
  const total = [...ofBatch.values()].filter((pull) => pull > 0).length
  const known = training.filter(({ advantage }) => advantage !== null)
  const sizes = known.map(({ advantage }) => Math.abs(advantage as number))
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0)
  return {
    known: known.length,
    rollouts: training.length,
    largestAdvantage: known.length === 0 ? null : largest,
    meanAbsoluteAdvantage: known.length === 0 ? null : sizes.reduce((a, b) => a + b, 0) / known.length,
    groups: groupCounts(dump, settings),
    byLength: quarters(training, total),
    ...byPlace(training, anatomies),
    most: training
      .filter(({ pull }) => pull > 0)
      .sort((a, b) => b.pull - a.pull || a.index - b.index)
      .slice(0, MOST)
      .map(({ index, id, step, advantage, trained, pull }) => ({ index, id, step, advantage, trained, pull })),
    advantages: binned(
      known.map(({ advantage }) => advantage as number),
      largest,
    ),
    maxLength,
  }
}

/** The advantage of each rollout; those of groups that are not complete are known only as recorded. */
function advantagesUnder(dump: DumpView, { scaling, eps }: LossSettings): ReadonlyMap<TrajectoryFacts, number> {
  const found = new Map<TrajectoryFacts, number>()
  if (scaling === 'recorded') {
    for (const row of dump.facts) if (row.advantage !== null) found.set(row, row.advantage)
    return found
  }
  const cases = dump.groups.filter(({ complete }) => complete).map((group) => ({ group, rewards: rewardsOf(group) }))
  const scaleOf = stepScales(cases.map(({ group }) => group))
  const scheme = scaling === 'group' ? 'group-std-unbiased' : scaling === 'batch' ? 'batch-std' : 'centre'
  for (const { group, rewards } of cases) {
    const advantages = recomputeAdvantages(scheme, rewards, eps, scaleOf(group))
    for (const [i, member] of group.members.entries()) found.set(member, advantages[i] as number)
  }
  return found
}

function groupCounts(dump: DumpView, { scaling, eps }: LossSettings): LossPicture['groups'] {
  const cases = dump.groups.filter(({ complete }) => complete).map((group) => ({ group, rewards: rewardsOf(group) }))
  const scaleOf = stepScales(cases.map(({ group }) => group))
  const own = scaling === 'recorded' ? scalingOf(dump) : null
  const divides = scaling === 'group' || scaling === 'batch' || own?.scaled === true
  const scheme = scaling === 'batch' ? 'batch-std' : own?.scheme
  let [dead, amplified] = [0, 0]
  for (const { group, rewards } of cases) {
    const std = unbiasedStd(rewards)
    if (std <= dump.settings.thresholds['same-reward']) dead++
    else if (divides) {
      const byBatch = scheme !== undefined && isBatchScaled(scheme)
      const divisor = byBatch ? batchDivisor(scheme, scaleOf(group)) : Math.max(std, own?.floor ?? 0)
      if (1 / (divisor + (own?.eps ?? eps)) >= AMPLIFIED) amplified++
    }
  }
  return { complete: cases.length, dead, amplified }
}

interface WeighedRow {
  readonly index: number
  readonly trained: number
  readonly share: number
  readonly pull: number
}

function quarters(rows: readonly WeighedRow[], total: number): LossPicture['byLength'] {
  const sorted = [...rows].sort((a, b) => a.trained - b.trained || a.index - b.index)
  const all = rows.reduce((sum, { share }) => sum + share, 0)
  const found: LossPicture['byLength'][number][] = []
  let start = 0
  for (let quarter = 1; quarter <= QUARTERS && start < sorted.length; quarter++) {
    let end = Math.floor((quarter * sorted.length) / QUARTERS)
    if (end <= start) continue
    // Equally long rollouts stand in one row, so that no length is in two.
    while (end < sorted.length && sorted[end]?.trained === sorted[end - 1]?.trained) end++
    const part = sorted.slice(start, end)
    found.push({
      from: part[0]?.trained ?? 0,
      to: part.at(-1)?.trained ?? 0,
      rollouts: part.length,
      share: all > 0 ? part.reduce((sum, { share }) => sum + share, 0) / all : 0,
      pull: total > 0 ? part.reduce((sum, { pull }) => sum + pull, 0) / total : null,
    })
    start = end
  }
  return found
}

/** A trained token of a rollout pulls as much as any other of it. */
function byPlace(
  rows: readonly WeighedRow[],
  anatomies: ReadonlyMap<number, RolloutAnatomy>,
): Pick<LossPicture, 'byPart' | 'byTurn'> {
  const parts = PARTS.map(() => 0)
  const turns: number[] = []
  let total = 0
  for (const { index, pull } of rows) {
    const anatomy = anatomies.get(index)
    const trained = anatomy?.trainedByPart.reduce((sum, count) => sum + count, 0) ?? 0
    if (anatomy === undefined || trained === 0) continue
    total += pull
    for (const [part, count] of anatomy.trainedByPart.entries()) {
      parts[part] = (parts[part] as number) + (pull * count) / trained
    }
    for (const [turn, count] of anatomy.trainedByTurn.entries()) {
      turns[turn] = (turns[turn] ?? 0) + (pull * count) / trained
    }
  }
  if (total === 0) return { byPart: [], byTurn: [] }
  return {
    byPart: PARTS.flatMap((part, at) => (parts[at] === 0 ? [] : { part, pull: (parts[at] as number) / total })),
    byTurn: turns.flatMap((pull, turn) => (pull === 0 || turn === 0 ? [] : { turn, pull: pull / total })),
  }
}

function binned(values: readonly number[], largest: number): number[] {
  const bins = new Array<number>(BINS).fill(0)
  for (const value of values) {
    const share = largest === 0 ? 0.5 : (value + largest) / (2 * largest)
    const bin = Math.min(BINS - 1, Math.floor(share * BINS))
    bins[bin] = (bins[bin] as number) + 1
  }
  return bins
}
