import { counted } from '../../model/number-text.ts'
import type { Span } from '../../model/tokens.ts'
import type { Check, Reporter, TrajectoryView } from '../check.ts'
import { paddingOf } from '../oracles/padding.ts'
import { listOf } from '../oracles/spans.ts'
import { specialIds } from '../oracles/special-ids.ts'
import { restartsNowhere } from './restarts.ts'

/** So many tokens in a row at one position are no document, no padding (whose ids are all the same) and no chance. */
const STANDING_TOKENS = 3

/**
 * S02. Positions that count padding, or jump where nothing begins. Which positions are right the attention mask tells; without one, only
 * that several tokens in a row stand at one position is wrong whatever it was.
 */
export const S02: Check = {
  code: 'S02',
  name: 'positions-disagree',
  title: 'Position ids disagree with the attention mask',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'position_ids'],
  looksAt: 'rollouts with position ids',
  why: 'The trainer places tokens elsewhere than the sampler did, so its logprobs belong to another sequence. A row without padding may begin at any position: it may go on from tokens that it does not hold, and relative embeddings see no offset. Behind padding an offset shows that positions were not made of the mask, and takes from the longest context.',
  fix: 'Compute position ids from the attention mask: cumulative sum minus one, padding excluded.',
  cite: 'TRL#2708, TRL#6800, unsloth#1954, transformers#18388',
  trajectory(view, _settings, report) {
    const attention = view.trajectory.attentionMask
    const positions = view.trajectory.positionIds as Int32Array
    const { left, right } = paddingOf(view)
    const end = view.ids.length - right
    if (left >= end) return
    if (attention === null) return lookForStanding(view, positions, left, end, report)
    // Real tokens that are not attended to are another fault (M15), and positions that skip them follow from it.
    if (!attendsExactly(attention, left, end)) return
    const wrong = firstWrong(view, positions, left, end)
    report.place(wrong !== null)
    if (wrong === null) return
    report.fault({
      scope: 'trajectory',
      tokens: { start: wrong.at, end: wrong.at === left ? end : wrong.at + 1 },
      affected: [],
      message: wrong.message,
      evidence: {
        padding_left: left,
        first_position: positions[left],
        stored: listOf(positions, Math.max(left, wrong.at - 2), wrong.at + 4),
        from_attention_mask: Array.from({ length: Math.min(4, end - wrong.at) }, (_, i) => wrong.at - left + i),
      },
    })
  },
  unproved: (_, { streams }) => (streams.has('attention_mask') ? null : 'the dump does not carry attention mask'),
}

/** Positions that were counted over another mask, that of the tokens with loss for one, stand still where it is 0. */
function lookForStanding(
  view: TrajectoryView,
  positions: Int32Array,
  left: number,
  end: number,
  report: Reporter,
): void {
  const run = hasPlaceholders(view) ? null : firstStanding(view.ids, positions, left, end)
  report.place(run !== null)
  if (run === null) return
  report.fault({
    scope: 'trajectory',
    tokens: run,
    affected: [],
    message: `${counted(run.end - run.start, 'token')} in a row, from token ${run.start}, all have position ${positions[run.start]}`,
    evidence: {
      first_position: positions[left],
      stored: listOf(positions, Math.max(left, run.start - 2), run.start + 4),
    },
  })
}

/** The first run of at least `STANDING_TOKENS` tokens at one position, each of another id than the one before it; null where there is none. */
function firstStanding(ids: Int32Array, positions: Int32Array, from: number, to: number): Span | null {
  let start = from
  for (let i = from + 1; i <= to; i++) {
    if (i < to && positions[i] === positions[i - 1] && ids[i] !== ids[i - 1]) continue
    if (i - start >= STANDING_TOKENS) return { start, end: i }
    start = i
  }
  return null
}

function attendsExactly(attention: Int32Array, start: number, end: number): boolean {
  for (let i = 0; i < start; i++) if (attention[i] !== 0) return false
  for (let i = start; i < end; i++) if (attention[i] === 0) return false
  return true
}

/**
 * The first token whose position is not what the attention mask makes it. Without left padding an offset of all positions changes
 * nothing for relative embeddings and is let pass, as are restarts where the document of a packed row may begin; placeholders of images
 * have positions of their own.
 */
function firstWrong(view: TrajectoryView, positions: Int32Array, left: number, end: number) {
  const first = positions[left] as number
  if (left > 0 && first !== 0) {
    return {
      at: left,
      message:
        first === left
          ? `The position ids count the ${counted(left, 'token')} of left padding: the first real token has position ${first} instead of 0`
          : `The first real token after ${counted(left, 'token')} of left padding has position ${first} instead of 0`,
    }
  }
  if (hasPlaceholders(view)) return null
  for (let i = left + 1; i < end; i++) {
    const position = positions[i] as number
    const before = positions[i - 1] as number
    if (position === before + 1) continue
    if ((position === 0 || position === first) && !restartsNowhere(view, positions, i)) continue
    return { at: i, message: `Position ${position} follows ${before} at token ${i}, where ${before + 1} is due` }
  }
  return null
}

function hasPlaceholders({ ids, tokenizer }: TrajectoryView): boolean {
  const start = tokenizer === null ? undefined : specialIds(tokenizer.table).get('<|vision_start|>')
  return start !== undefined && ids.includes(start)
}
