import { CONTEXT_THRESHOLDS } from './contexts.ts'
import { FILTER_THRESHOLDS } from './filters.ts'
import { KL_THRESHOLDS } from './kl.ts'
import { LIMIT_THRESHOLDS } from './limits.ts'
import { LOGPROB_THRESHOLDS } from './logprobs.ts'
import { MASK_THRESHOLDS } from './masks.ts'
import { PATTERN_THRESHOLDS } from './patterns.ts'
import { REWARD_THRESHOLDS } from './rewards.ts'
import { TEXT_THRESHOLDS } from './texts.ts'
import { COUNTING_UNITS, type Threshold } from './threshold.ts'
import { TREND_THRESHOLDS } from './trends.ts'
import { VERDICT_THRESHOLDS } from './verdicts.ts'

const FAMILIES = {
  ...PATTERN_THRESHOLDS,
  ...MASK_THRESHOLDS,
  ...TEXT_THRESHOLDS,
  ...LIMIT_THRESHOLDS,
  ...REWARD_THRESHOLDS,
  ...LOGPROB_THRESHOLDS,
  ...FILTER_THRESHOLDS,
  ...TREND_THRESHOLDS,
  ...CONTEXT_THRESHOLDS,
  ...KL_THRESHOLDS,
  ...VERDICT_THRESHOLDS,
} as const

export type ThresholdId = keyof typeof FAMILIES

/** The number in force for each threshold: what everything that judges reads. Structured-cloneable. */
export type Thresholds = Readonly<Record<ThresholdId, number>>

/** Every number by which a check or a verdict decides, by its id. */
export const THRESHOLDS: Readonly<Record<ThresholdId, Threshold>> = FAMILIES

export const THRESHOLD_IDS = Object.keys(THRESHOLDS) as ThresholdId[]

/** A threshold that was set to something it cannot be. `message` is a sentence for the person who set it. */
export class ThresholdError extends Error {
  override readonly name = 'ThresholdError'
}

/**
 * The thresholds in force where a person sets some of them.
 *
 * Throws `ThresholdError` for an id that is not there, naming the nearest, and for a value out of range, naming the range.
 */
export function resolveThresholds(set: Readonly<Record<string, number | undefined>> = {}): Thresholds {
  const values = Object.fromEntries(THRESHOLD_IDS.map((id) => [id, THRESHOLDS[id].value])) as Record<
    ThresholdId,
    number
  >
  for (const [id, value] of Object.entries(set)) {
    if (value === undefined) continue
    if (!isThresholdId(id)) throw new ThresholdError(unknownId(id))
    const { unit, range } = THRESHOLDS[id]
    const [least, greatest] = range
    const counts = COUNTING_UNITS.some((each) => each === unit)
    // Options may come from a link or another program: a text is no number, whatever it spells.
    const within = typeof value === 'number' && value >= least && value <= greatest
    if (!within || (counts && !Number.isInteger(value))) {
      const allowed = `${counts ? 'a whole number ' : ''}from ${least} to ${greatest}`
      throw new ThresholdError(`The threshold ${id} cannot be ${value}: ${allowed} is allowed (${unit}).`)
    }
    values[id] = value
  }
  return values
}

/** As they are unless somebody sets them. */
export const DEFAULT_THRESHOLDS: Thresholds = resolveThresholds()

/** Those that are not at their default, in the order of the registry, as the report states them. */
export function changedThresholds(values: Thresholds): Record<string, { value: number; default: number }> {
  return Object.fromEntries(
    THRESHOLD_IDS.filter((id) => values[id] !== THRESHOLDS[id].value).map((id) => [
      id,
      { value: values[id], default: THRESHOLDS[id].value },
    ]),
  )
}

/** Those that move the results of a check or a hypothesis. */
export function thresholdsOf(codeOrHypothesis: string): ThresholdId[] {
  return THRESHOLD_IDS.filter((id) => {
    const { usedBy } = THRESHOLDS[id]
    if (usedBy === 'every check') return /^[A-Z]\d\d$/.test(codeOrHypothesis) && !codeOrHypothesis.startsWith('H')
    return usedBy.includes(codeOrHypothesis)
  })
}

export function isThresholdId(id: string): id is ThresholdId {
  return Object.hasOwn(THRESHOLDS, id)
}

/** How many ids are named where one is not known. */
const NAMED = 3

function unknownId(id: string): string {
  const near = THRESHOLD_IDS.map((known) => ({ known, likeness: likeness(id, known) }))
    .filter(({ likeness }) => likeness > 0)
    .sort((a, b) => b.likeness - a.likeness)
    .slice(0, NAMED)
    .map(({ known }) => known)
  const nearest = near.length === 0 ? '' : ` The nearest are ${near.join(', ')}.`
  return `There is no threshold ${id.slice(0, 80)}.${nearest}`
}

/** Share of the pairs of neighbouring letters that two ids have in common (Dice's coefficient). */
function likeness(a: string, b: string): number {
  const [first, second] = [pairsOf(a), pairsOf(b)]
  const common = [...first].filter((pair) => second.has(pair)).length
  return (2 * common) / (first.size + second.size || 1)
}

function pairsOf(id: string): Set<string> {
  const letters = id.toLowerCase()
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)))
}
