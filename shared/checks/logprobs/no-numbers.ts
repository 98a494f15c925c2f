import { filtered, type Steps, within } from '../../model/steps.ts'
import type { LossStream } from '../../model/trajectory.ts'
import type { DumpView, GroupView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/**
 * The streams of which a rollout has an array without a number in it on any trained token. Whether nothing was computed or all of it went
 * wrong, only its neighbours tell (`lacksWhatOthersHave`). Null where there is none.
 */
export function streamsWithoutNumbers(view: TrajectoryView): Pick<TrajectoryFacts, 'noNumbers'> | null {
  const { advantage, advantages, logprobs, arrays, noneDue } = view.trajectory
  if (isShort(arrays)) return null
  const blank = (values: Float32Array | null, stream: LossStream) =>
    values !== null && hasNumber(view, values, noneDue[stream]) === false
  const found: LossStream[] = []
  const sampled = logprobs.sampler === null ? null : hasNumber(view, logprobs.sampler, noneDue.advantages)
  // Where the sampler scored what the mask leaves out and nothing else, the loss stands in the wrong place (M02), and nobody scores that.
  const isElsewhere = sampled === false && logprobs.sampler?.some((value) => !Number.isNaN(value)) === true
  if (!isElsewhere && blank(logprobs.trainer, 'trainer')) found.push('trainer')
  // What others wrote and a supervised loss trains has none by right, nor has it been scored by a sampler.
  const isRl = sampled === true
  if (isRl && advantage === null && blank(advantages, 'advantages')) found.push('advantages')
  return found.length === 0 ? null : { noNumbers: found }
}

/** Whether any trained token that is due a number has one; null where none is. */
function hasNumber({ mask }: TrajectoryView, values: Float32Array, noneDue: Uint8Array | null): boolean | null {
  let due = false
  for (let i = mask?.indexOf(1) ?? -1; i >= 0; i = mask?.indexOf(1, i + 1) ?? -1) {
    if (!Number.isNaN(values[i] as number)) return true
    if (noneDue?.[i] !== 1) due = true
  }
  return due ? false : null
}

/** An array that the dump stored shorter was filled up with NaN. */
export function isShort(arrays: TrajectoryView['trajectory']['arrays']): boolean {
  return arrays.some(({ length, expected }) => length < expected)
}

/**
 * Rollouts that have no number in a stream in which most of those that train anything have some. Where nothing is to be learnt, none is
 * due: trainers that leave groups without contrast out do not score them.
 */
export function* lacksWhatOthersHave(
  { facts, groups }: Pick<DumpView, 'facts' | 'groups'>,
  stream: LossStream,
  has: (row: TrajectoryFacts) => boolean,
): Steps<{ readonly rows: readonly TrajectoryFacts[]; readonly others: number }> {
  const without = new FactColumns(facts).having('noNumbers')
  const lacking = yield* within(
    0,
    0.2,
    filtered(without, ({ noNumbers }) => noNumbers?.includes(stream) === true),
  )
  if (lacking.length === 0) return { rows: [], others: 0 }
  const training = yield* within(
    0.2,
    0.5,
    filtered(facts, ({ trained }) => (trained ?? 0) > 0),
  )
  const { length: others } = yield* within(0.5, 0.8, filtered(training, has))
  if (others * 2 <= training.length) return { rows: [], others }
  const dead = new Set(groups.filter(isDead).flatMap(({ members }) => members))
  return { rows: lacking.filter((row) => !isLeftOut(row, stream, dead.has(row))), others }
}

/** The trainer had no use for the rollout, and has scored none of it. One that it scored has advantages, were they 0. */
function isLeftOut({ maxAdvantage, noNumbers, gap }: TrajectoryFacts, stream: LossStream, inDead: boolean): boolean {
  if (stream === 'trainer' && maxAdvantage !== null) return maxAdvantage === 0
  return inDead && gap === undefined && noNumbers?.includes('trainer') === true
}

/** Two rewards or more, all the same. */
function isDead({ members }: GroupView): boolean {
  const [first] = members
  if (first === undefined || first.reward === null || members.length < 2) return false
  return members.every(({ reward }) => reward === first.reward)
}
