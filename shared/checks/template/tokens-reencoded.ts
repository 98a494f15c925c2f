import { counted } from '../../model/number-text.ts'
import type { Span, Turn } from '../../model/tokens.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { AuditSettings, Check, DumpReporter, DumpView, Reporter, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { sampledSpan, writtenTurns } from '../oracles/edges.ts'
import { hidesTurns, isSwallowed } from '../oracles/shape.ts'
import { countOf } from '../oracles/spans.ts'
import { encoded } from '../texts/encoded.ts'
import { storedResponse } from './drift.ts'
import { type OtherSplit, otherSplits } from './splits.ts'

export const T02: Check = {
  code: 'T02',
  name: 'tokens-reencoded',
  title: 'Trained ids are another split than the sampled ones',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'assistant turns whose sampled ids are stored as well, or that the dump flags as sampled or not',
  why: 'The text was decoded and encoded again. The tokens that are trained were never sampled, and their logprobs belong to others.',
  fix: 'Carry the sampled ids through to training. Never build them again from text.',
  cite: 'TRL#5224, rllm#272, prime-rl#1352',
  trajectory(view, settings, report) {
    reportUnsampled(view, settings, report)
    const stored = storedResponse(view.trajectory)
    const { segmentation, tokenizer, ids, mask } = view
    if (stored === null || segmentation === null || tokenizer === null) return
    const turns = writtenTurns(segmentation)
    const found = placed(view, turns, stored.ids)
    if (found === null) return
    for (const turn of turns) {
      const span = sampledSpan(turn)
      if (found.end <= span.start) continue
      const splits = found.splits.filter(({ tokens }) => tokens.start >= span.start && tokens.end <= span.end)
      const trained = splits.filter(({ tokens }) => mask === null || countOf(mask, 1, tokens.start, tokens.end) > 0)
      report.place(trained.length > 0, { turn: turn.ordinal })
      const first = trained[0]
      if (first === undefined) continue
      const text = decodeSpan(tokenizer.table, ids, first.tokens.start, first.tokens.end)
      const here = Array.from(ids.subarray(first.tokens.start, first.tokens.end))
      const own = encoded(tokenizer, text)
      report.fault({
        turn,
        tokens: first.tokens,
        affected: trained.map(({ tokens }) => tokens),
        message: `Assistant turn ${turn.ordinal} was encoded again: ${JSON.stringify(text)} is [${here.join(', ')}], ${stored.name} has [${first.sampled.join(', ')}]`,
        evidence: {
          reason: 'token-split',
          text,
          trained_ids: here,
          sampled_ids: first.sampled,
          places: trained.length,
          is_tokenizers_own_split: own === null ? null : own.join() === here.join(),
        },
      })
    }
  },
  dump: lookAtDrift,
}

/**
 * Turns that are trained whole and of which the dump flags no token as sampled, beside others that it flags so: what an earlier call wrote, encoded
 * again in the prompt of a later one.
 */
function reportUnsampled(view: TrajectoryView, { policy }: AuditSettings, report: Reporter): void {
  const { trajectory, segmentation, mask } = view
  const { sampled } = trajectory
  if (sampled === null || segmentation === null || mask === null || policy.id === 'sft' || !sampled.includes(1)) return
  if (hidesTurns(view)) return
  for (const turn of writtenTurns(segmentation)) {
    const { contentStart: start, contentEnd: end, header } = turn
    if (header !== 'present' || isSwallowed(view, turn) || countOf(sampled, 0, start, end) < end - start) continue
    const isTrained = countOf(mask, 1, start, end) === end - start
    report.place(isTrained, { turn: turn.ordinal })
    if (!isTrained) continue
    report.fault({
      turn,
      tokens: { start, end },
      message: `Assistant turn ${turn.ordinal} is trained, and the dump says of none of its ${counted(end - start, 'token')} that they were sampled: they are of an earlier call, encoded again, or nobody's`,
      evidence: { reason: 'not-sampled', tokens: end - start },
    })
  }
}

/**
 * Sampled ids differ now and then from what the tokenizer makes of their text; a dump in which none do was probably encoded again. That
 * is a note and no fault: a sure policy may sample nothing else. Sampler and trainer that agree on every token deny it.
 */
function lookAtDrift({ facts, settings, streams }: DumpView, report: DumpReporter): void {
  // Counts only where no rollout had anything to look at.
  if (!streams.has('sampled'))
    report.abstain('not-checkable', 'the dump carries neither sampled flags nor sampled ids that lie over its turns')
  const looked = new FactColumns(facts).having('drift')
  const tokens = looked.reduce((sum, { drift }) => sum + (drift?.tokens ?? 0), 0)
  const drifted = looked.some(({ drift }) => (drift?.splits ?? 0) > 0)
  const { thresholds, policy } = settings
  // Data for supervised training is encoded from text, and so it should be.
  if (policy.id === 'sft' || (!drifted && tokens < thresholds['drift-tokens'])) return
  for (let i = 0; i < looked.length; i++) {
    report.unit(false)
    report.place(false)
  }
  if (drifted) return
  const gap = meanGap(looked)
  if (gap !== null && gap < thresholds['engines-agree']) {
    report.context({ encoded_again: tokens, other_splits: 0, mean_gap: gap })
    return
  }
  const gapSaysSo = gap !== null && gap >= thresholds['engines-differ']
  report.fault({
    severity: 'info',
    scope: 'source',
    message: `All ${counted(tokens, 'sampled token')} of the first ${counted(looked.length, 'rollout')} are split as the tokenizer splits their text, where sampled ids differ now and then: they may have been encoded again${
      gapSaysSo ? `, and sampler and trainer logprobs differ by ${Number(gap.toPrecision(3))} a token` : ''
    }`,
    evidence: {
      encoded_again: tokens,
      other_splits: 0,
      rollouts: looked.length,
      mean_gap_of_sampler_and_trainer: gap,
      temperatures: [...new Set(looked.flatMap(({ temperature }) => temperature ?? []))].slice(0, 8),
    },
  })
}

/** Mean |sampler − trainer| over the rollouts, in nats; null where the dump does not score both. */
function meanGap(rows: readonly TrajectoryFacts[]): number | null {
  const count = rows.reduce((sum, { gap }) => sum + (gap?.count ?? 0), 0)
  return count === 0 ? null : rows.reduce((sum, { gap }) => sum + (gap?.absolute ?? 0), 0) / count
}

interface Placed {
  readonly splits: readonly { readonly tokens: Span; readonly sampled: readonly number[] }[]
  /** Token after the last that was compared. */
  readonly end: number
}

/**
 * The stored ids laid over the sequence: over everything from the first assistant turn on, or over what the model wrote alone.
 * Null where their texts differ either way.
 */
function placed(view: TrajectoryView, turns: readonly Turn[], stored: Int32Array): Placed | null {
  const first = turns[0]
  const table = view.tokenizer?.table
  if (first === undefined || table === undefined) return null
  const end = view.ids.length - (view.segmentation?.padding.right ?? 0)
  const all = [{ start: first.contentStart, end }]
  for (const spans of [all, turns.map(sampledSpan)]) {
    const places = spans.flatMap((span) => Array.from({ length: span.end - span.start }, (_, i) => span.start + i))
    const ids = Int32Array.from(places, (at) => view.ids[at] as number)
    const splits = otherSplits(table, ids, stored)
    if (splits === null) continue
    const tokens = ({ a: [from, to] }: OtherSplit): Span => ({
      start: places[from] as number,
      end: (places[to - 1] as number) + 1,
    })
    return {
      splits: splits.map((split) => ({ tokens: tokens(split), sampled: Array.from(stored.subarray(...split.b)) })),
      end,
    }
  }
  return null
}
