import type { DumpView } from '../checks/check.ts'
import { isNoise, spreadsOf } from '../checks/groups/scaling.ts'
import type { CheckResult } from '../model/report.ts'
import { forEachOf, type Steps } from '../model/steps.ts'

/** Counts by bin number; empty bins are not listed. */
export type SparseCounts = Record<string, number>

/**
 * Sums that whoever reads reports of parts of a run can add up, key by key: integers only, so that the sum does not hang on the
 * order. Plain JSON. Rewards are counted in millionths. `merge` needs more (`session/merge/state.ts`).
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

export function* aggregating(
  dump: DumpView,
  checks: readonly CheckResult[],
  totals: Readonly<Record<TokenSumName, number>>,
): Steps<Aggregates> {
  const sequence: SparseCounts = {}
  const prompt: SparseCounts = {}
  const bins: SparseCounts = {}
  const endReasons: SparseCounts = {}
  let rows = 0
  let sum = 0
  yield* forEachOf(dump.facts, ({ idsHash, realLength, promptLength, endReason, reward }) => {
    if (idsHash !== null) count(sequence, lengthBin(realLength))
    if (promptLength !== null) count(prompt, lengthBin(promptLength))
    count(endReasons, endReason)
    if (reward === null || !Number.isFinite(reward)) return
    rows++
    sum += Math.round(reward * MILLIONTHS)
    count(bins, rewardBin(reward))
  })
  const { groups } = spreadsOf(dump, null)
  return {
    schema: 1,
    trajectories: dump.facts.length,
    tokens: Object.fromEntries(TOKEN_SUMS.map((name) => [name, totals[name]])) as Aggregates['tokens'],
    lengths: { sequence, prompt },
    rewards: { rows, sum, bins },
    groups: {
      complete: groups.length,
      withoutContrast: groups.filter(({ contrast }) => !contrast).length,
      belowNoiseFloor: groups.filter(isNoise).length,
      stdSum: groups.reduce((total, { std }) => total + Math.round(std * MILLIONTHS), 0),
    },
    endReasons,
    checks: Object.fromEntries(checks.map((check) => [check.code, sumsOf(check)])),
  }
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
