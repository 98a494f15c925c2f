import { Expected, Provenance, type Turn } from '../../model/tokens.ts'
import type { Check, TrajectoryView } from '../check.ts'
import { writtenTurns } from '../edges.ts'
import { hidesEdges } from '../shape.ts'
import { MASK_UNKNOWN } from '../states.ts'

export const M13: Check = {
  code: 'M13',
  name: 'pad-is-end',
  title: 'End tokens are masked because padding has the same id',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'rollouts that are padded with the id that ends their turns',
  why: 'A mask that compares ids with the pad id takes real end tokens for padding: the model never learns to stop.',
  fix: 'Choose a pad token that ends no turn, or build the mask from lengths and not by comparing ids.',
  cite: 'TRL#6357, TRL#4970, Megatron-Bridge#4660',
  hiddenBy: ['M06', 'M07'],
  trajectory(view, _settings, report) {
    if (view.segmentation === null || hidesEdges(view)) return
    const pad = padId(view)
    if (pad === null) return
    const mask = view.mask as Uint8Array
    const ends = writtenTurns(view.segmentation).filter((turn) => isComparable(view, turn, pad))
    if (ends.length === 0) return
    const masked = ends.filter(({ endToken }) => mask[endToken] === 0)
    const all = masked.length === ends.length
    report.place(all)
    if (!all) return
    const spans = masked.map(({ endToken }) => ({ start: endToken, end: endToken + 1 }))
    report.fault({
      scope: 'trajectory',
      tokens: spans[0] as (typeof spans)[0],
      affected: spans,
      message: `Padding and end of turn share the id ${pad}: ${
        ends.length === 1
          ? 'the end token of the assistant turn'
          : `the end tokens of all ${ends.length} assistant turns`
      } that could be told from padding ${ends.length === 1 ? 'is' : 'are'} masked`,
      evidence: {
        pad_id: pad,
        pad_text: view.text({ start: spans[0]!.start, end: spans[0]!.end }),
        end_tokens: spans.slice(0, 16).map(({ start }) => start),
        padding: view.segmentation.padding,
      },
    })
  },
}

/** The id that this row is padded with; without padding, the tokenizer's pad where that ends turns. Null where neither is an end. */
function padId({ ids, segmentation, tokenizer }: TrajectoryView): number | null {
  const frame = tokenizer?.frame
  if (segmentation === null || !frame) return null
  const { left, right } = segmentation.padding
  const ends = [...frame.turnEnds, ...frame.textEnds]
  if (right > 0 || left > 0) {
    const id = ids[right > 0 ? ids.length - 1 : 0] as number
    return ends.includes(id) ? id : null
  }
  return frame.turnEnds.find((id) => frame.pad.includes(id)) ?? null
}

/**
 * An end token that is no padding: the model's last words are trained, and the token is not the first of the trailing run. In the loss it was not taken for
 * padding, wherever it stands and whatever its logprob.
 */
function isComparable(view: TrajectoryView, { endToken, contentEnd }: Turn, pad: number): boolean {
  const { ids, mask, expectedRl, provenance, segmentation } = view
  if (endToken < 0 || ids[endToken] !== pad || mask?.[endToken] === MASK_UNKNOWN) return false
  if (mask?.[contentEnd - 1] !== 1) return false
  if (mask[endToken] === 1) return true
  if (expectedRl?.[endToken] !== Expected.trained) return false
  const trailing = endToken === ids.length - (segmentation?.padding.right ?? 0) - 1
  return !trailing || provenance?.[endToken] === Provenance.sampled
}
