import { filtered, type Steps, within } from '../../model/steps.ts'
import type { DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { tiltedRollouts } from './pooled-lines.ts'
import { pairsOf } from './scored.ts'

/** Tokens that the trainer finds unlikely, and those of them that the sampler does not. */
export type Lifted = readonly [unlikely: number, lifted: number]

/**
 * Of a rollout whose sampler seems to give the logprob of the most likely token at each place, sampled or not: how many trained tokens the trainer finds
 * unlikely, and how many of these the sampler at least twice as likely. Null where it does not seem so.
 *
 * Where the trainer finds a token likelier than all others together, it is that token, and the engines agree. Of the others most are given the
 * logprob of a likelier one; both fit into one distribution, as p of the two comes to no more than 1. What top-p or top-k left over lifts likely tokens as
 * well, and unlikely ones by no more than what it kept allows; another context, or noise with a fat tail, surprises the trainer where the sampler was sure.
 */
export function liftedTokens(view: TrajectoryView): Lifted | null {
  const pairs = pairsOf(view)
  if (pairs === null || pairs.tokens.length < view.thresholds['scored-tokens']) return null
  const { tokens, sampler, trainer } = pairs
  const {
    'unlikely-token': unlikely,
    'large-gap': large,
    'engines-differ': differs,
    'not-certain': notCertain,
  } = view.thresholds
  let likely = 0
  let likelyGap = 0
  let asked = 0
  let lifted = 0
  let least = 0
  let most = Number.NEGATIVE_INFINITY
  for (let k = 0; k < tokens.length; k++) {
    const i = tokens[k] as number
    const own = sampler[i] as number
    const other = trainer[i] as number
    const gap = own - other
    if (gap > large && !fitTogether(own, other)) return null
    if (other >= -Math.LN2) {
      if (other > -notCertain) continue
      likely++
      likelyGap += Math.abs(gap)
    } else if (other < unlikely) {
      asked++
      if (gap < large) continue
      lifted++
      if (own < least) least = own
      if (own > most) most = own
    }
  }
  if (likely === 0 || likelyGap >= differs * likely) return null
  if (lifted * 2 <= asked) return null
  // One number for all of them is a bound that was put on the logprobs from below.
  return lifted > 1 && least === most ? null : [asked, lifted]
}

/** Noise of both engines moves what is left for the other by a part of it, and rounding by next to nothing. */
function fitTogether(own: number, other: number): boolean {
  return Math.exp(other) <= -NOISY * Math.expm1(own) + ROUNDED
}

/** Times what is left, and of a probability. */
const NOISY = 1.5
const ROUNDED = 0.002

/** Rollouts that all together show it. */
export interface MostLikelyRollouts {
  readonly members: readonly TrajectoryFacts[]
  /** Of their tokens together, as of one in `Lifted`. */
  readonly asked: number
  readonly lifted: number
}

/**
 * In one rollout few tokens are unlikely, and noise may have made them so: it does not in most of many. Null where it is not in most of those
 * with enough scored tokens; one without an unlikely token counts as one that does not show it. Null as well where a temperature explains the rollouts (L03): a
 * trainer that is sharper finds unlikely what the sampler does not, by a multiple of its logprob, which that of another token is not.
 */
export const mostLikelyRollouts = onceForDump(findMostLikely)

function* findMostLikely(dump: DumpView): Steps<MostLikelyRollouts | null> {
  const { facts, settings } = dump
  const { thresholds } = settings
  const columns = new FactColumns(facts)
  const members = columns.having('lifted')
  if (members.length < thresholds['pooled-rollouts']) return null
  const counts = columns.numbers('gap', 'count')
  const scored = yield* within(
    0,
    0.4,
    filtered([...counts], (count) => count >= thresholds['scored-tokens']),
  )
  let asked = 0
  let lifted = 0
  for (const row of members) {
    const [unlikely, own] = row.lifted as Lifted
    asked += unlikely
    lifted += own
  }
  const isSure =
    members.length >= thresholds['most-likely-rollouts'] * scored.length &&
    lifted >= Math.max(thresholds['scored-tokens'], thresholds['systematic-share'] * asked)
  if (!isSure) return null
  const { tilted } = yield* within(0.4, 1, tiltedRollouts(dump))
  return tilted.size > (1 - thresholds['systematic-share']) * members.length ? null : { members, asked, lifted }
}
