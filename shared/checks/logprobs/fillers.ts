import { count } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { Expected, type Span, type Turn } from '../../model/tokens.ts'
import type { Check, DumpFault, DumpReporter, DumpView, TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { haveUnfitLogprobs } from '../layout/unfit-arrays.ts'
import { trainedPrefill } from '../mask/prefill-trained.ts'
import { tokenCount } from '../oracles/edges.ts'
import { samplerArray } from '../oracles/provenance-oracle.ts'
import { residualPads } from '../oracles/residual-pads.ts'
import { countOf } from '../oracles/spans.ts'
import { certainTagEnd } from './forced-prefill.ts'
import { gapOf } from './gap.ts'
import { type LoneZero, zerosDenied } from './lone-zeros.ts'
import { hasLostNumber } from './lost-numbers.ts'
import { lacksWhatOthersHave } from './no-numbers.ts'
import { unprovedByZerosAlone } from './one-array.ts'
import { isLogprob, isTrainedSample, logprobBounds, pairsOf, type ScoredPairs } from './scored.ts'
import { unscoredByTrainer } from './unscored.ts'
import { unprovedByZeros } from './zero-turns.ts'

type Side = 'sampler' | 'trainer'

interface Filler {
  readonly token: number
  readonly side: Side
  readonly value: number
}

/** L05. A number that is no logprob stands where the ratio of a trained token is computed from. */
export const L05: Check = {
  code: 'L05',
  name: 'placeholder-logprob-trained',
  title: 'A placeholder stands for the logprob of a trained token',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'logprobs.sampler'],
  looksAt: 'rollouts with trained tokens that the sampler scored',
  why: 'The filler enters the importance ratio as if it were a probability: one token can outweigh the batch, or zero it.',
  fix: 'Mask the tokens that were not scored, or carry the logprobs of the sampled tokens through to the trainer.',
  cite: 'SkyRL#758, Flash-RL#19, open-instruct#1817',
  trajectory(view, _settings, report) {
    const found = fillersOf(view)
    if (found === null) return
    // Of few zeros that the trainer denies the other rollouts tell whether they are noise.
    if (areLone(found, view.thresholds)) {
      report.place(false)
      return
    }
    report.place(found.length > 0)
    const byTurn = new Map<Turn | null, Filler[]>()
    for (const filler of found) {
      const turn = turnAt(view, filler.token)
      const list = byTurn.get(turn)
      if (list === undefined) byTurn.set(turn, [filler])
      else list.push(filler)
    }
    for (const [turn, fillers] of byTurn) {
      const tokens = fillers.map(({ token }) => token)
      const first = fillers[0] as Filler
      report.fault({
        turn,
        tokens: { start: tokens[0] as number, end: (tokens.at(-1) as number) + 1 },
        affected: tokens.map((start) => ({ start, end: start + 1 })),
        message: `${carried(fillers.length)}: ${described(view, first)}`,
        evidence: {
          tokens: tokens.slice(0, MOST_LISTED),
          values: fillers.slice(0, MOST_LISTED).map(({ value }) => String(value)),
          of: [...new Set(fillers.map(({ side }) => side))],
          count: fillers.length,
        },
      })
    }
  },
  dump: lookOverRollouts,
  unproved: (tally, dump) => unprovedByZeros(tally, dump) ?? unprovedByZerosAlone(tally, dump),
}

function* lookOverRollouts(dump: DumpView, report: DumpReporter): Steps<void> {
  yield* within(0, 0.5, lookForUnscored(dump, report))
  for (const { member, zeros } of yield* within(0.5, 1, zerosDenied(dump.facts, dump.settings.thresholds))) {
    report.unitAfterAll()
    for (let from = 0, to = 0; from < zeros.length; from = to) {
      const { turn } = zeros[from] as LoneZero
      while (zeros[to]?.turn === turn) to++
      report.fault(faultOfZeros(member, zeros.slice(from, to)))
    }
  }
}

/** Of those in one turn. */
function faultOfZeros(member: TrajectoryFacts, zeros: readonly LoneZero[]): DumpFault {
  const [{ token, trainer, turn }, last] = [zeros[0] as LoneZero, zeros.at(-1) as LoneZero]
  return {
    member,
    turn: turn < 0 ? null : { index: turn },
    tokens: { start: token, end: last.token + 1 },
    affectedTokens: zeros.length,
    affectedWeight: ((member.weight ?? 0) * zeros.length) / (member.trained || 1),
    message: `${carried(zeros.length)}: the sampler's at token ${token} is exactly 0, the trainer's ${trainer.toFixed(2)}`,
    evidence: {
      tokens: zeros.map((zero) => zero.token),
      values: zeros.map(() => '0'),
      of: ['sampler'],
      count: zeros.length,
    },
  }
}

/** The zeros of a rollout that the trainer denies, where they are so few, no three in a row, that noise may have denied them; null where there are none. */
export function loneZerosOf(view: TrajectoryView): readonly LoneZero[] | null {
  if (view.mask === null || view.trajectory.logprobs.sampler === null || !pairsOf(view)?.placeholders.length)
    return null
  const found = fillersOf(view) ?? []
  if (!areLone(found, view.thresholds)) return null
  const { trainer } = view.trajectory.logprobs
  return found.map(({ token }) => ({
    token,
    trainer: trainer?.[token] ?? 0,
    turn: turnAt(view, token)?.index ?? -1,
  }))
}

/** Noise hits two tokens in a row as well; three in a row it leaves alone. */
function areLone(found: readonly Filler[], { 'lone-zeros': most }: Thresholds): boolean {
  if (found.length === 0 || found.length > most) return false
  return found.every(
    ({ token, side, value }, at) => side === 'sampler' && value === 0 && token !== (found[at - 2]?.token ?? -3) + 2,
  )
}

/**
 * The trainer scores whatever it trains, and may leave out what it learns nothing from: another rollout in which it scored nothing has lost
 * its numbers on the way, or they are all NaN.
 */
function* lookForUnscored(dump: DumpView, report: DumpReporter): Steps<void> {
  const { rows, others } = yield* lacksWhatOthersHave(dump, 'trainer', ({ gap }) => gap !== undefined)
  const tell = (member: TrajectoryFacts) => {
    report.unitAfterAll()
    report.fault({
      member,
      affectedTokens: member.trained ?? 0,
      message: `None of the ${tokenCount(member.trained ?? 0)} that carry loss has a logprob of the trainer: all are NaN or null, and ${count(others)} other rollouts have theirs`,
      evidence: { of: ['trainer'], count: member.trained, rollouts_with_logprobs: others },
    })
  }
  yield* forEachOf(rows, tell)
}

const MOST_LISTED = 16

function carried(count: number): string {
  return `${tokenCount(count)} ${count === 1 ? 'carries' : 'carry'} loss with a placeholder for a logprob`
}

/** In order of tokens, one per token; null where no trained token has a sampler logprob, or none that is known to be its own. */
function fillersOf(view: TrajectoryView): Filler[] | null {
  const { logprobs } = view.trajectory
  if (haveUnfitLogprobs(view.trajectory)) return null
  const sampler = logprobs.sampler as Float32Array
  const { trainer } = logprobs
  const mask = view.mask as Uint8Array
  const bounds = logprobBounds(view.thresholds)
  const pairs = pairsOf(view)
  const scored = pairs?.tokens.length ?? 0
  if (pairs !== null && pairs.unfilled.length > 0)
    return Array.from(pairs.unfilled, (token) => ({ token, side: 'trainer', value: 0 }))
  // The usual case: every trained token was scored twice.
  if (scored > 0 && pairs?.placeholders.length === 0 && countOf(mask, 1) === scored) return []
  const placeholders = new Set(pairs?.placeholders)
  // Padding inside the row is a fault of its own (M12).
  if (placeholders.size > 0) for (const span of residualPads(view)) forget(placeholders, span)
  for (const turn of view.segmentation?.turns ?? []) {
    // An end token that was appended is a fault of its own (M14).
    if (!placeholders.has(turn.endToken - 1)) placeholders.delete(turn.endToken)
    // So are a prefill that is trained (M09) and a reply inside the turn, with the empty lines around it (M01).
    if (placeholders.size === 0) break
    // A tag that the sampler was certain of, behind another context than the trainer's, is what stands around it (L02).
    if (turn.kind === 'assistant')
      forget(placeholders, { start: turn.contentStart, end: certainTagEnd(view, turn) ?? turn.contentStart })
    for (const span of [...trainedPrefill(view, turn), ...besideTrainedReplies(view, turn)]) forget(placeholders, span)
  }
  const stored = samplerArray(view.trajectory)
  const notNumbers = new Set(stored?.nan)
  const filler = stored?.unsampled ?? Number.NaN
  const unscored = unscoredByTrainer(view)
  const neverDrawn = neverDrawnIn(view, pairs)
  const found: Filler[] = []
  let looked = false
  for (let token = 0; token < sampler.length; token++) {
    if (mask[token] !== 1) continue
    const value = sampler[token] as number
    const other = trainer === null ? 0 : (trainer[token] as number)
    // The usual case: a logprob on either side.
    if (
      isLogprob(value, bounds) &&
      isLogprob(other, bounds) &&
      (value !== 0 || placeholders.size === 0) &&
      !neverDrawn.has(token)
    ) {
      looked = true
      continue
    }
    if (!isTrainedSample(view, token)) continue
    // Absent is not wrong, but where the dump says that the model wrote the token and the trainer trains it.
    if (Number.isNaN(value)) {
      const isWritten = notNumbers.has(token)
      if (!isWritten && !hasLostNumber(view, token)) continue
      // Flags of what was sampled say nothing of what was scored: a row without any number may have been scored by nobody.
      if (isWritten || view.trajectory.sampled === null) looked = true
      found.push({ token, side: 'sampler', value: isWritten ? value : filler })
      continue
    }
    looked = true
    if (!isLogprob(value, bounds)) found.push({ token, side: 'sampler', value })
    else if (unscored.has(token)) found.push({ token, side: 'trainer', value: other })
    else if (!Number.isNaN(other) && !isLogprob(other, bounds)) found.push({ token, side: 'trainer', value: other })
    else if (placeholders.has(token) || neverDrawn.has(token)) found.push({ token, side: 'sampler', value })
  }
  return looked ? found : null
}

function forget(tokens: Set<number>, { start, end }: Span): void {
  for (let token = start; token < end; token++) tokens.delete(token)
}

/** Around replies inside a turn that are trained, what may be the environment's as they are. */
function besideTrainedReplies({ mask, expectedRl }: TrajectoryView, { spans, contentStart, contentEnd }: Turn): Span[] {
  const isOpen = (token: number) => expectedRl?.[token] === Expected.undecided
  return spans.flatMap(({ part, start, end }) => {
    if (part !== 'tool' || countOf(mask as Uint8Array, 1, start, end) === 0) return []
    let [from, to] = [start, end]
    while (from > contentStart && isOpen(from - 1)) from--
    while (to < contentEnd && isOpen(to)) to++
    return [
      { start: from, end: start },
      { start: end, end: to },
    ]
  })
}

/**
 * Trained tokens with a number of the sampler that may be a logprob, and is not that of a token it drew: the trainer finds them likely. Where it
 * scored none, what was forced has such a logprob as well, and no two of them the same one. Arrays that lie beside each other have numbers of
 * other tokens (L06).
 */
function neverDrawnIn(view: TrajectoryView, pairs: ScoredPairs | null): ReadonlySet<number> {
  if (pairs !== null && pairs.unlikely.length > 0)
    return new Set(gapOf(view)?.cause === 'shifted' ? [] : pairs.unlikely)
  const { sampler, trainer } = view.trajectory.logprobs
  const found = new Set<number>()
  if (trainer !== null || sampler === null) return found
  const { least } = logprobBounds(view.thresholds)
  const { 'least-forced': leastForced } = view.thresholds
  let same = 0
  for (let token = 0; token < sampler.length; token++) {
    const value = sampler[token] as number
    if (!(value < leastForced && value > least) || !isTrainedSample(view, token)) continue
    if (found.size > 0 && value !== same) return new Set()
    same = value
    found.add(token)
  }
  return found.size > 1 ? found : new Set()
}

function described(view: TrajectoryView, { token, side, value }: Filler): string {
  if (Number.isNaN(value) && side === 'trainer')
    return `the trainer's at token ${count(token)} is NaN or null, where it scored others of this rollout`
  if (Number.isNaN(value) && samplerArray(view.trajectory)?.nan?.includes(token))
    return `the ${side}'s at token ${count(token)} is NaN`
  if (Number.isNaN(value) && view.trajectory.sampled === null && !scoresTrained(view))
    return `the ${side}'s at token ${count(token)} is NaN or null, as on every token of this rollout that carries loss`
  if (Number.isNaN(value) && view.trajectory.sampled === null)
    return `the ${side}'s at token ${count(token)} is NaN or null, where it scored others of this rollout`
  if (Number.isNaN(value)) return `token ${count(token)} was sampled and has no ${side} logprob`
  if (side === 'trainer' && value === 0)
    return `the trainer's are exactly 0 on every token of this rollout that the sampler scored, at token ${count(token)} as well, where the sampler's is ${view.trajectory.logprobs.sampler?.[token]?.toFixed(2)}`
  const name = `the ${side}'s at token ${count(token)} is ${value === 0 ? 'exactly 0' : String(value)}`
  const trainer = view.trajectory.logprobs.trainer?.[token]
  const isDenied = value === 0 || (side === 'sampler' && isLogprob(value, logprobBounds(view.thresholds)))
  return isDenied && trainer !== undefined ? `${name}, the trainer's ${trainer.toFixed(2)}` : name
}

/** The sampler has a number for some trained token. */
function scoresTrained({ mask, trajectory }: TrajectoryView): boolean {
  return trajectory.logprobs.sampler?.some((value, token) => mask?.[token] === 1 && !Number.isNaN(value)) === true
}

function turnAt({ segmentation }: TrajectoryView, token: number): Turn | null {
  return segmentation?.turns.find(({ start, end }) => token >= start && token < end) ?? null
}
