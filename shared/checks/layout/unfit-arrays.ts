import { count } from '../../model/number-text.ts'
import type { MaskAlignment } from '../../model/policy.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { RecordIssue, StoredArray, Trajectory } from '../../model/trajectory.ts'
import { isMaskName, isOfMask } from '../oracles/alignment.ts'
import { tokenCount } from '../oracles/edges.ts'

/** Contradictions of a record that are about the shape or type of its arrays. */
const SHAPE_ISSUES = [
  'length-mismatch',
  'bad-type',
  'negative-weight',
  'unknown-weight',
  'label-mismatch',
  'id-out-of-range',
  'mask-conflict',
] as const
export type ShapeIssue = (typeof SHAPE_ISSUES)[number]
const OF_SHAPE: ReadonlySet<string> = new Set(SHAPE_ISSUES)

/** Fields that hold no value per token: what is wrong with them is no matter of arrays. */
const NO_ARRAYS = /^(messages|prompt|completion|tools|documents|limits|rewards?|metrics|metadata|meta|info|answer|id)\b/

/** What S03 tells of, with the arrays that are of another length. Other values that their field cannot hold are drift. */
export function isAboutArrays({ code, field }: RecordIssue): boolean {
  return OF_SHAPE.has(code) && !NO_ARRAYS.test(field)
}

/** What of a rollout's arrays does not fit the ids, or is of a type that it should not be; advantages that are no numbers are another matter. */
export function unfitArrays(trajectory: Trajectory, alignment: MaskAlignment, thresholds: Thresholds) {
  return {
    bad: trajectory.arrays.filter((array) => isUnfit(array, alignment)),
    issues: trajectory.issues.filter(isAboutArrays),
    heavy: heavyWeights(trajectory, thresholds['largest-loss-weight']),
  }
}

function isUnfit(array: StoredArray, alignment: MaskAlignment): boolean {
  const { length, expected } = array
  // A target-aligned mask has no value for the first token.
  const targets = alignment === 'target' && isOfMask(array) && length === expected - 1
  return length !== expected && !targets
}

/** A mask of another length than the ids have: of none of its elements is known whose token it marks, and what is read of it is no fault of its own. */
export function isMaskUnfit({ arrays }: Pick<Trajectory, 'arrays'>, alignment: MaskAlignment): boolean {
  return arrays.some((array) => isOfMask(array) && isUnfit(array, alignment))
}

export function isLogprobName(name: string): boolean {
  return /log_?p/.test(name)
}

/** Logprobs of another length than the ids have: of none of them is known whose token they are, and nothing that is read of them is a fault of its own. */
export function haveUnfitLogprobs({ arrays }: Pick<Trajectory, 'arrays'>): boolean {
  return arrays.some(({ name, length, expected }) => length !== expected && isLogprobName(name))
}

/** Whether what a rollout trains is not known because its arrays do not fit; a fact of the few that it is true of. */
export function unfitFacts(
  trajectory: Trajectory,
  alignment: MaskAlignment,
  thresholds: Thresholds,
): { readonly unfit: true; readonly unfitMask?: true } | null {
  const { bad, issues, heavy } = unfitArrays(trajectory, alignment, thresholds)
  if (bad.length === 0 && issues.length === 0 && heavy === null) return null
  const isOfNoUse = trajectory.mask === null && issues.some(({ field }) => isMaskName(field))
  return { unfit: true, ...(isOfNoUse || isMaskUnfit(trajectory, alignment) ? { unfitMask: true } : null) }
}

/** Values that a message names. */
const NAMED_VALUES = 4

/** Values of a mask that are no weights of a loss: ids, numbers of segments, flags kept as bytes. */
function heavyWeights({ weights, arrays }: Trajectory, largest: number) {
  if (weights === null) return null
  const values = new Set<number>()
  let tokens = 0
  let first = -1
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i] as number
    if (!(weight > largest)) continue
    if (tokens++ === 0) first = i
    if (values.size <= NAMED_VALUES) values.add(weight)
  }
  if (first < 0) return null
  const name = arrays.find(isOfMask)?.name ?? 'the mask'
  const listed = [...values].slice(0, NAMED_VALUES)
  return {
    mask: name,
    tokens,
    first,
    values: listed,
    message: `${name} holds ${listed.join(', ')}${values.size > listed.length ? ' …' : ''} on ${tokenCount(tokens)}, the first at ${count(first)}: no loss weight is so large, but ids, bytes of a flag or lengths are`,
  }
}
