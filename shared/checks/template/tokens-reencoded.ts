import type { Span, Turn } from '../../model/tokens.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import { decodeSpan } from '../../tokens/text.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { writtenTurns } from '../edges.ts'
import { encoded } from '../encoded.ts'
import { countOf } from '../spans.ts'
import { sampledSpan } from './paired-turns.ts'
import { type OtherSplit, otherSplits } from './splits.ts'

export const T02: Check = {
  code: 'T02',
  name: 'tokens-reencoded',
  title: 'Trained ids are another split than the sampled ones',
  hypotheses: ['H02', 'H06-library'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'assistant turns whose sampled ids are stored as well',
  why: 'The text was decoded and encoded again. The tokens that are trained were never sampled, and their logprobs belong to others.',
  fix: 'Carry the sampled ids through to training. Never build them again from text.',
  cite: 'TRL#5224, rllm#272, prime-rl#1352',
  trajectory(view, _settings, report) {
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
}

/** Names under which dumps keep what was sampled beside the sequence that is trained. */
const STORED = ['response_ids', 'completion_ids', 'response_token_ids', 'generation_token_ids', 'sampled_ids']

function storedResponse({ meta }: Trajectory): { readonly name: string; readonly ids: Int32Array } | null {
  for (const name of STORED) {
    const value = meta[name]
    if (!Array.isArray(value) && !ArrayBuffer.isView(value)) continue
    const numbers = Array.from(value as ArrayLike<unknown>)
    if (numbers.length > 0 && numbers.every((id) => Number.isInteger(id))) {
      return { name, ids: Int32Array.from(numbers as number[]) }
    }
  }
  return null
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
