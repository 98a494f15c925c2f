import type { DumpView } from '../checks/check.ts'
import { isNoise, spreadsOf } from '../checks/groups/scaling.ts'
import type { CheckResult } from '../model/report.ts'

/** Counts by bin number; empty bins are not listed. */
export type SparseCounts = Record<string, number>

/**
 * What a report leaves behind so that reports of parts of a run can be added up: integers only, so that the sum does not hang
 * on the order. Plain JSON. Rewards are counted in millionths.
 */
export interface Aggregates {
  readonly schema: 1
  readonly trajectories: number
  readonly tokens: Readonly<Record<TokenSumName, number>>
  /** Sequence lengths without padding, and prompt lengths, by `lengthBin`. */
  readonly lengths: { readonly sequence: SparseCounts; readonly prompt: SparseCounts }
  /** Rows with a reward, Σ reward in millionths, and rewards by `rewardBin`. */
  readonly rewards: { readonly rows: number; readonly sum: number; readonly bins: SparseCounts }
  /** Complete groups; those without contrast; those below the noise floor; Σ unbiased std in millionths. */
  readonly groups: {
    readonly complete: number
    readonly withoutContrast: number
    readonly belowNoiseFloor: number
    readonly stdSum: number
  }
  /** Rows by how they ended. */
  readonly endReasons: SparseCounts
  /** Units and places looked at and affected, by code. */
  readonly checks: Readonly<Record<string, CheckSums>>
}

export interface CheckSums {
  readonly checked: number
  readonly affected: number
  readonly placesChecked: number
  readonly placesAffected: number
  readonly affectedTokens: number
}

const TOKEN_SUMS = ['turns', 'total', 'trained', 'masked', 'padding', 'unknown', 'lost'] as const
type TokenSumName = (typeof TOKEN_SUMS)[number]

const BIN_WIDTH = 64
/** Below this length bins are 64 tokens wide; each doubling above it is cut into as many bins again. */
const EVEN_UP_TO = 4096
const BINS_PER_OCTAVE = EVEN_UP_TO / BIN_WIDTH
/** Longest length with a bin of its own; the last bin takes all above. */
const LONGEST = 2 ** 20

const MILLIONTHS = 1e6
/** Rewards outside ±1,000 share the outermost bins. */
const REWARD_BINS_PER_UNIT = 20
const OUTERMOST_REWARD_BIN = 20_000

export function aggregate(
  dump: DumpView,
  checks: readonly CheckResult[],
  totals: Readonly<Record<TokenSumName, number>>,
): Aggregates {
  const sequence: SparseCounts = {}
  const prompt: SparseCounts = {}
  const bins: SparseCounts = {}
  const endReasons: SparseCounts = {}
  let rows = 0
  let sum = 0
  for (const facts of dump.facts) {
    if (facts.idsHash !== null) count(sequence, lengthBin(facts.realLength))
    if (facts.promptLength !== null) count(prompt, lengthBin(facts.promptLength))
    count(endReasons, facts.endReason)
    if (facts.reward === null || !Number.isFinite(facts.reward)) continue
    rows++
    sum += Math.round(facts.reward * MILLIONTHS)
    count(bins, rewardBin(facts.reward))
  }
  const { groups, floor } = spreadsOf(dump, null)
  return {
    schema: 1,
    trajectories: dump.facts.length,
    tokens: Object.fromEntries(TOKEN_SUMS.map((name) => [name, totals[name]])) as Aggregates['tokens'],
    lengths: { sequence, prompt },
    rewards: { rows, sum, bins },
    groups: {
      complete: groups.length,
      withoutContrast: groups.filter(({ contrast }) => !contrast).length,
      belowNoiseFloor: groups.filter((spread) => isNoise(spread, floor)).length,
      stdSum: groups.reduce((total, { std }) => total + Math.round(std * MILLIONTHS), 0),
    },
    endReasons,
    checks: Object.fromEntries(checks.map((check) => [check.code, sumsOf(check)])),
  }
}

/** The aggregates of two disjoint parts of a run, as if they had been read together. */
export function addAggregates(a: Aggregates, b: Aggregates): Aggregates {
  return addNumbers(a, b, 'aggregates') as Aggregates
}

/**
 * Number of the bin of a length in tokens: 64-token bins below 4,096, then 64 bins to each doubling up to 1,048,576 and one for
 * everything longer.
 */
export function lengthBin(length: number): number {
  if (length < EVEN_UP_TO) return Math.floor(length / BIN_WIDTH)
  if (length >= LONGEST) return lengthBin(LONGEST - 1) + 1
  const octave = 31 - Math.clz32(length / EVEN_UP_TO)
  const base = EVEN_UP_TO * 2 ** octave
  return BINS_PER_OCTAVE * (octave + 1) + Math.floor((length - base) / (base / BINS_PER_OCTAVE))
}

/** Least length in a bin of `lengthBin`. */
export function lengthBinStart(bin: number): number {
  if (bin < BINS_PER_OCTAVE) return bin * BIN_WIDTH
  const octave = Math.floor(bin / BINS_PER_OCTAVE) - 1
  const base = EVEN_UP_TO * 2 ** octave
  return base + (bin % BINS_PER_OCTAVE) * (base / BINS_PER_OCTAVE)
}

/** Bin k holds rewards from k / 20 up to (k + 1) / 20, by millionths so that 0.15 is not taken for 0.1499… */
export function rewardBin(reward: number): number {
  const bin = Math.floor(Math.round(reward * MILLIONTHS) / (MILLIONTHS / REWARD_BINS_PER_UNIT))
  return Math.max(-OUTERMOST_REWARD_BIN, Math.min(OUTERMOST_REWARD_BIN, bin))
}

function count(counts: SparseCounts, bin: number | string): void {
  counts[bin] = (counts[bin] ?? 0) + 1
}

function sumsOf(check: CheckResult): CheckSums {
  return {
    checked: check.checked,
    affected: check.affected,
    placesChecked: check.places.checked,
    placesAffected: check.places.affected,
    affectedTokens: check.affected_tokens,
  }
}

/** Adds two trees of numbers key by key; a key that one side lacks counts as 0. The schema number is no sum. */
function addNumbers(a: unknown, b: unknown, path: string): unknown {
  if (b === undefined) return a
  if (a === undefined) return b
  if (typeof a === 'number' && typeof b === 'number') {
    if (path !== 'aggregates.schema') return a + b
    if (a !== b) throw new Error(`Reports of schema ${a} and ${b} cannot be added: make both with one version.`)
    return a
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    throw new Error(`${path} is ${typeof a} in one report and ${typeof b} in the other: one of them is damaged.`)
  }
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return Object.fromEntries(
    keys.map((key) => [
      key,
      addNumbers((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], `${path}.${key}`),
    ]),
  )
}
