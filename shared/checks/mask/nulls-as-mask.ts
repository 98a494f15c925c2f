import { Hash64 } from '../../model/hash.ts'
import { count, counted } from '../../model/number-text.ts'
import { Provenance, type Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { isLaterCall } from '../grouping/branch-ends.ts'
import { writtenTurns } from '../oracles/edges.ts'
import { samplerArray } from '../oracles/provenance-oracle.ts'
import { countOf, firstDifference } from '../oracles/spans.ts'

/** A rollout whose sampler logprobs are null on some tokens, held against its mask. */
export interface NullsAsMask {
  /** Exactly what is masked is null. Elsewhere the nulls say something of their own. */
  readonly alike: boolean
  /** Turns of the assistant that are null and masked from the first word to the last. */
  readonly turns: number
  /** End tokens that are, of turns that train their last word. */
  readonly ends: number
  /** Hashes of the first words that are, of turns that train the others. */
  readonly heads: readonly string[]
}

/**
 * Nulls that a trainer made of the mask say nothing of who wrote a token, and look like those of the engine wherever the mask is right. Null where no
 * turn of the assistant lacks anything, and where the format says itself what a null is.
 */
export function nullFacts(
  view: Omit<TrajectoryView, 'facts'>,
  ofFormat: number | 'nan' | null,
): Pick<TrajectoryFacts, 'nullsAsMask'> | null {
  const { trajectory, mask, provenance, segmentation } = view
  const { sampler } = trajectory.logprobs
  if (ofFormat !== null || trajectory.sampled !== null || sampler === null) return null
  if (mask === null || provenance === null || segmentation === null) return null
  if (samplerArray(trajectory)?.unsampled !== undefined) return null
  const { left, right } = segmentation.padding
  const until = mask.length - right
  // The first token has no logprob in any case.
  const first = firstDifference(provenance, mask, left + 1, until)
  if (first < until) {
    const isTold = provenance[first] !== Provenance.silent && (mask[first] as number) <= 1
    return isTold ? { nullsAsMask: { alike: false, turns: 0, ends: 0, heads: [] } } : null
  }
  const lacks = lackingTurns(trajectory, writtenTurns(segmentation), mask, view.ids)
  return lacks.turns + lacks.ends + lacks.heads.length === 0 ? null : { nullsAsMask: { alike: true, ...lacks } }
}

function lackingTurns(trajectory: Trajectory, written: readonly Turn[], mask: Uint8Array, ids: Int32Array) {
  let turns = 0
  let ends = 0
  const heads: string[] = []
  let hasTrained = false
  for (const { header, contentStart, contentEnd, endToken, end } of written) {
    const trained = countOf(mask, 1, contentStart, contentEnd)
    if (trained === 0) {
      // What stands before the answer may be a prompt with turns in it, or an earlier call of the rollout.
      const isHistory =
        !hasTrained && (isLaterCall(trajectory) || (trajectory.promptLength !== null && end <= trajectory.promptLength))
      if (header === 'present' && !isHistory) turns++
      continue
    }
    hasTrained = true
    if (endToken >= 0 && mask[endToken] === 0 && mask[contentEnd - 1] === 1) ends++
    const begins = contentEnd - trained
    if (begins > contentStart && countOf(mask, 0, contentStart, begins) === begins - contentStart)
      heads.push(hashOf(ids, contentStart, begins))
  }
  return { turns, ends, heads }
}

function hashOf(ids: Int32Array, start: number, end: number): string {
  const hash = new Hash64()
  hash.words(ids, start, end)
  return hash.digest()
}

/** A text with which a run begins the answers of its model is one, or a few. */
const MOST_PREFILLS = 2

/** Of all rollouts, those of which the nulls cannot tell what the mask leaves out. */
export interface Untold {
  readonly of: number
  readonly turns: number
  readonly ends: number
  readonly heads: number
  /** Those that have any of these. */
  readonly rollouts: number
}

/** Null where the nulls of a single rollout say something of their own: then those of the others do as well. */
export function untoldByNulls(facts: readonly TrajectoryFacts[]): Untold | null {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('nullsAsMask')) return null
  const rows = columns.having('nullsAsMask').map(({ nullsAsMask }) => nullsAsMask as NullsAsMask)
  if (rows.some(({ alike }) => !alike)) return null
  const isPrefill = new Set(rows.flatMap(({ heads }) => heads)).size <= MOST_PREFILLS
  const beginLate = (row: NullsAsMask) => !isPrefill && row.heads.length > 0
  const of = columns.numbers('trained').filter((tokens) => tokens > 0).length
  const rollouts = rows.filter((row) => row.turns + row.ends > 0 || beginLate(row)).length
  if (rollouts === 0 || of === 0) return null
  return {
    of,
    turns: rows.filter(({ turns }) => turns > 0).length,
    ends: rows.filter(({ ends }) => ends > 0).length,
    heads: rows.filter(beginLate).length,
    rollouts,
  }
}

const WHAT = {
  turns: 'whole turns of the assistant',
  ends: 'the end tokens of its turns',
  heads: 'what its turns begin with',
} as const

/** In words, for the check that looks at them; null where they are none. */
export function toldOfNulls(facts: readonly TrajectoryFacts[], what: keyof typeof WHAT): string | null {
  const untold = untoldByNulls(facts)
  if (untold === null || untold[what] === 0) return null
  return `${count(untold[what])} of ${counted(untold.of, 'rollout')} mask ${WHAT[what]}, and have no sampler logprobs there; all through the dump exactly what is masked has none, so that they may be made of the mask and say nothing of who wrote it. Write the logprobs of every token that the model sampled, trained or not`
}
