import { Hash64 } from '../../model/hash.ts'
import type { Turn } from '../../model/tokens.ts'
import { FIRST_BRANCH, type Trajectory } from '../../model/trajectory.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { sampledSpan, writtenTurns } from '../oracles/edges.ts'
import { countOf } from '../oracles/spans.ts'

/**
 * Whether a row is a call of a rollout that is several rows, and not its first: the turns before what it trains are those of the calls before it,
 * each of which has a row of its own, as far as nothing tells who wrote them.
 */
export function isLaterCall({ rolloutId, branch }: Trajectory): boolean {
  return rolloutId !== null && branch !== null && branch !== FIRST_BRANCH
}

/**
 * The turns that a row of a rollout of several rows trains, and those before them that it repeats, by their ordinals: the ids of a turn that is
 * repeated need not be those that were sampled, where thoughts are left out of it.
 */
function callEnds(
  { rolloutId, branch, step, promptLength }: Trajectory,
  turns: readonly Turn[],
  mask: Uint8Array,
): Pick<TrajectoryFacts, 'branchEnds'> | null {
  if (rolloutId === null || branch === null || promptLength !== null) return null
  const isTrained = ({ contentStart, contentEnd }: Turn) => countOf(mask, 1, contentStart, contentEnd) > 0
  const first = turns.findIndex(isTrained)
  if (first < 0) return null
  const names = (some: readonly Turn[]) => some.map(({ ordinal }) => `${step ?? ''}\n${rolloutId}\n${ordinal}`)
  const context = branch === FIRST_BRANCH ? [] : turns.slice(0, first)
  return { branchEnds: { trained: names(turns.filter(isTrained)), context: names(context) } }
}

/** Where the replies end that a row of a branching rollout trains, and those that it has as context, by their scores written by the model. */
export function branchEnds(
  trajectory: Trajectory,
  { ids, mask, segmentation, padding, provenance }: PreparedTokens,
): Pick<TrajectoryFacts, 'branchEnds'> | null {
  const { mayBeBranch, promptLength, logprobs, sampled } = trajectory
  if (segmentation === null || mask === null) return null
  if (!mayBeBranch) return provenance === null ? callEnds(trajectory, writtenTurns(segmentation), mask) : null
  const { sampler } = logprobs
  if (sampler === null) return null
  const trained: string[] = []
  const context: string[] = []
  const hash = new Hash64()
  let hashed = padding.left
  for (const turn of writtenTurns(segmentation)) {
    const { contentStart } = turn
    const { end } = sampledSpan(turn)
    const isTrained = countOf(mask, 1, contentStart, end) > 0
    const isBefore =
      promptLength === null ? sampled !== null && countOf(sampled, 1, contentStart, end) === 0 : end <= promptLength
    if (!isTrained && !(isBefore && sampler.subarray(contentStart, end).some(isScore))) continue
    hash.words(ids, hashed, end)
    hashed = end
    ;(isTrained ? trained : context).push(hash.digest())
  }
  return { branchEnds: { trained, context } }
}

/** A 0 may be the filler of what nobody sampled. */
function isScore(logprob: number): boolean {
  return logprob !== 0 && !Number.isNaN(logprob)
}

/**
 * Of the rollouts that train something, those in which the model wrote replies that they mask, and that no row trains; null where every such
 * reply is another row's, or where no row may be a branch.
 */
export function untrainedReplies(
  facts: readonly TrajectoryFacts[],
): { readonly rollouts: number; readonly of: number } | null {
  const columns = new FactColumns(facts)
  const branches = columns.having('branchEnds')
  const trained = new Set(branches.flatMap(({ branchEnds: ends }) => ends?.trained ?? []))
  const lost = branches.filter(
    ({ trained: tokens, branchEnds: ends }) => (tokens ?? 0) > 0 && ends?.context.some((reply) => !trained.has(reply)),
  ).length
  const training = columns.numbers('trained').filter((tokens) => tokens > 0).length
  return lost === 0 || training === 0 ? null : { rollouts: lost, of: training }
}
