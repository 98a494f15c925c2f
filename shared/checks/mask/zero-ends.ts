import { TRL_SAMPLER } from '../../formats/trl-logprobs.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { Expected, Provenance, type Turn } from '../../model/tokens.ts'
import type { DumpReporter, DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { edgeAfter, writtenTurns } from '../oracles/edges.ts'
import { samplerArray } from '../oracles/provenance-oracle.ts'
import { hidesEdges } from '../oracles/shape.ts'
import { stopsAmidCall } from '../truncation/amid-call.ts'
import { choosesTokens } from './by-token.ts'

/** Ends of turns by whether they are in the loss, and whether their logprob is the exact 0.0 that the format writes on what nobody sampled. */
export interface EndLogprobs {
  readonly maskedZero: number
  readonly maskedScored: number
  readonly trainedZero: number
  readonly trainedScored: number
}

/** An end without loss whose logprob is such a 0.0, in a rollout of which another end has a logprob of its own. */
export interface ZeroEnd {
  /** Place of its turn among all, and among those of the model from 1 on. */
  readonly index: number
  readonly turn: number
  readonly token: number
  readonly id: number
  readonly boundary: string
}

/** Null where no end without loss tells anything. */
export function zeroEndFacts(view: TrajectoryView): Pick<TrajectoryFacts, 'endLogprobs' | 'zeroEnds'> | null {
  const { mask, provenance, segmentation } = view
  if (segmentation === null || provenance === null || mask === null) return null
  const counts = { maskedZero: 0, maskedScored: 0, trainedZero: 0, trainedScored: 0 }
  const written = writtenTurns(segmentation).filter((turn) => !stopsAmidCall(view, turn))
  for (const turn of written) countEnd(turn, mask, provenance, counts)
  const { maskedZero, maskedScored, trainedScored } = counts
  if (maskedZero + maskedScored === 0 || hidesEdges(view) || isOfTrl(view)) return null
  // Of a rollout without an end that has a logprob of its own other rows tell (`silent-ends.ts`).
  const asks = maskedZero > 0 && maskedScored + trainedScored > 0
  const ends = asks && !choosesTokens(view) ? written.filter((turn) => isZeroEnd(view, turn)) : []
  if (ends.length === 0) return { endLogprobs: counts }
  return {
    endLogprobs: counts,
    zeroEnds: ends.map((turn) => ({
      index: turn.index,
      turn: turn.ordinal,
      token: turn.endToken,
      id: view.ids[turn.endToken] as number,
      boundary: edgeAfter(segmentation, turn),
    })),
  }
}

type Counts = { -readonly [Name in keyof EndLogprobs]: number }

function countEnd(
  { endToken, contentEnd, spans }: Turn,
  mask: Uint8Array,
  provenance: Uint8Array,
  counts: Counts,
): void {
  if (endToken < 0 || mask[contentEnd - 1] !== 1) return
  const told = provenance[endToken]
  if (told === Provenance.notSampled || spans.some(({ part }) => part === 'tool')) return
  const isScored = told === Provenance.sampled
  if (mask[endToken] === 1) counts[isScored ? 'trainedScored' : 'trainedZero']++
  else if (mask[endToken] === 0) counts[isScored ? 'maskedScored' : 'maskedZero']++
}

/** There it is the mask that takes a 0.0 for no logprob. */
function isOfTrl({ trajectory }: TrajectoryView): boolean {
  return samplerArray(trajectory)?.name === TRL_SAMPLER
}

/** It would be trained, were it sampled. */
function isZeroEnd(view: TrajectoryView, { contentStart, contentEnd, endToken }: Turn): boolean {
  const { mask, provenance, expectedRl, trajectory } = view
  if (endToken < 0 || mask?.[endToken] !== 0 || expectedRl?.[endToken] !== Expected.trained) return false
  if (contentEnd === contentStart || mask[contentEnd - 1] !== 1) return false
  return provenance?.[endToken] === Provenance.silent && trajectory.logprobs.sampler?.[endToken] === 0
}

/**
 * A rollout of which some ends have a 0.0 and no loss, and others a logprob of their own: a string may have stopped the model at the first, so that the
 * framework appended them, or it was certain of them. Told over the environment, where the 0.0 is the rule on ends without loss and not on others.
 */
export function* lookAtZeroEnds({ facts, settings }: DumpView, report: DumpReporter): Steps<void> {
  const { sampled } = yield* zeroEnds(facts, settings.thresholds)
  for (const member of sampled) tell(member, report)
}

/** How many ends without loss were appended as the dump shows: they are none of what a correct mask would train. */
export function* countAppendedEnds(facts: readonly TrajectoryFacts[], thresholds: Thresholds): Steps<number> {
  const { appended } = yield* zeroEnds(facts, thresholds)
  return appended.reduce((sum, { zeroEnds: ends }) => sum + (ends as readonly ZeroEnd[]).length, 0)
}

function* zeroEnds(
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
): Steps<{ readonly appended: readonly TrajectoryFacts[]; readonly sampled: readonly TrajectoryFacts[] }> {
  const columns = new FactColumns(facts)
  if (columns.isEmpty('zeroEnds')) return { appended: [], sampled: [] }
  const counts = new Map<string, Counts>()
  yield* forEachOf(columns.having('endLogprobs'), (member) => {
    const own = member.endLogprobs as EndLogprobs
    const key = member.environment ?? ''
    const sum = counts.get(key)
    if (sum === undefined) counts.set(key, { ...own })
    else for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += own[name]
  })
  const [appended, sampled]: [TrajectoryFacts[], TrajectoryFacts[]] = [[], []]
  yield* forEachOf(columns.having('zeroEnds'), (member) => {
    const all = counts.get(member.environment ?? '') as Counts
    ;(areAppended(all, thresholds) ? appended : sampled).push(member)
  })
  return { appended, sampled }
}

/** Were ends without loss sampled, as those in the loss are, many would have a logprob of their own: where next to none has, they were not. */
function areAppended(counts: EndLogprobs, thresholds: Thresholds): boolean {
  const { maskedZero, maskedScored, trainedZero, trainedScored } = counts
  if (trainedScored === 0 || maskedZero < thresholds['zero-ends-share'] * (maskedZero + maskedScored)) return false
  return (maskedZero * trainedScored) / (trainedScored + trainedZero) >= thresholds['appended-ends']
}

function tell(member: TrajectoryFacts, report: DumpReporter): void {
  // One of its other ends is a place and a fault already.
  const isFound = (member.endLogprobs as EndLogprobs).maskedScored > 0
  for (const [i, { index, turn, token, id, boundary }] of (member.zeroEnds as readonly ZeroEnd[]).entries()) {
    const at = { turn, boundary, endsRow: boundary.endsWith('>end') }
    if (i === 0 && !isFound) report.unitAfterAll(at)
    else report.placeAfterAll(at)
    report.fault({
      member,
      turn: { index },
      tokens: { start: token, end: token + 1 },
      affectedTokens: 1,
      severity: 'warning',
      message: unprovedEnd(turn),
      evidence: { id, sampled: null },
    })
  }
}

export function unprovedEnd(turn: number): string {
  return `The end token of assistant turn ${turn} is not trained. A warning and no error: neither logprobs nor flags of this dump tell whether the model wrote it or the framework did`
}
