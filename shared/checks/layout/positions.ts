import { counted } from '../../model/number-text.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { paddingOf } from '../oracles/padding.ts'
import { listOf } from '../oracles/spans.ts'
import { specialIds } from '../oracles/special-ids.ts'
import { restartsNowhere } from './restarts.ts'

/** S02. Positions that count padding, or jump where nothing begins. */
export const S02: Check = {
  code: 'S02',
  name: 'positions-disagree',
  title: 'Position ids disagree with the attention mask',
  hypotheses: [],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'attention_mask', 'position_ids'],
  looksAt: 'rollouts with position ids',
  why: 'The trainer places tokens elsewhere than the sampler did, so its logprobs belong to another sequence. A row without padding may begin at any position: it may go on from tokens that it does not hold, and relative embeddings see no offset. Behind padding an offset shows that positions were not made of the mask, and takes from the longest context.',
  fix: 'Compute position ids from the attention mask: cumulative sum minus one, padding excluded.',
  cite: 'TRL#2708, TRL#6800, unsloth#1954, transformers#18388',
  trajectory(view, _settings, report) {
    const attention = view.trajectory.attentionMask as Int32Array
    const positions = view.trajectory.positionIds as Int32Array
    const { left, right } = paddingOf(view)
    const end = view.ids.length - right
    // Real tokens that are not attended to are another fault (M15), and positions that skip them follow from it.
    if (left >= end || !attendsExactly(attention, left, end)) return
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
