import { flagsOf } from '../../containers/kernel/numbers.ts'
import type { Span } from '../../model/tokens.ts'
import type { Check, Reporter, TrajectoryView } from '../check.ts'
import { edgeBefore, tokenCount } from '../oracles/edges.ts'
import { paddingOf } from '../oracles/padding.ts'
import { residualPads } from '../oracles/residual-pads.ts'
import { countOf, firstDifference, lengthOf, runsOf } from '../oracles/spans.ts'

export const M15: Check = {
  code: 'M15',
  name: 'loss-mask-as-attention-mask',
  title: 'Loss mask is reused as attention mask',
  hypotheses: ['H02'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'attention_mask'],
  looksAt: 'turns of rollouts with an attention mask',
  why: 'The prompt and the tool replies are invisible to the forward pass: the policy is trained on its own words without question or documents.',
  fix: 'Give the forward pass an attention mask of all real tokens, and apply the loss mask to the loss alone.',
  cite: 'TRL#4974, TimeSearch-R#7',
  trajectory(view, _settings, report) {
    const attention = view.trajectory.attentionMask as Int32Array
    const { left, right } = paddingOf(view)
    const end = view.ids.length - right
    const seen = seenTokens(attention)
    const equal = isLossMask(view, seen, left, end)
    const hidden = hiddenTokens(view, seen, left, end, equal)
    placeTurns(view, hidden, report)
    if (hidden.length === 0) return
    const count = lengthOf(hidden)
    report.fault({
      scope: 'trajectory',
      tokens: { start: hidden[0]!.start, end: hidden.at(-1)!.end },
      affected: hidden,
      message: () =>
        `${tokenCount(count)} of the context ${count === 1 ? 'is' : 'are'} hidden from the forward pass${equal ? ': the attention mask is the loss mask' : ''}`,
      evidence: () => ({
        hidden_tokens: count,
        real_tokens: end - left,
        attention_equals_loss_mask: equal,
        first_hidden: hidden.slice(0, 8).map((span) => [span.start, span.end]),
      }),
    })
  },
}

/**
 * A turn each, so that replies which are hidden wherever there are any show as such beside rollouts without one. What the model wrote is a
 * place only where it is hidden: an attention mask that is the loss mask shows it.
 */
function placeTurns({ segmentation }: TrajectoryView, hidden: readonly Span[], report: Reporter): void {
  const turns = segmentation?.turns ?? []
  if (segmentation === null || turns.every(({ kind }) => kind === 'assistant')) {
    report.place(hidden.length > 0)
    return
  }
  let next = 0
  for (const turn of turns) {
    while (next < hidden.length && hidden[next]!.end <= turn.start) next++
    const isHidden = next < hidden.length && hidden[next]!.start < turn.end
    if (turn.kind === 'assistant' && !isHidden) continue
    report.place(isHidden, { boundary: edgeBefore(segmentation, turn) })
  }
}

/** 1 where the forward pass sees a token. */
function seenTokens(attention: Int32Array): Uint8Array {
  return flagsOf(attention) ?? Uint8Array.from(attention, (value) => (value === 0 ? 0 : 1))
}

/** The two masks are the same on all real tokens, and leave some of them out. */
function isLossMask(view: TrajectoryView, seen: Uint8Array, start: number, end: number): boolean {
  const mask = view.trajectory.mask ?? view.mask
  return mask !== null && firstDifference(seen, mask, start, end) >= end && countOf(mask, 0, start, end) > 0
}

/**
 * Real tokens that the forward pass does not see. An attention mask alone never decides what is padding: before the first
 * attended token only those count in which turns were found. After the last one they count only where the masks are
 * the same, since a row may be padded in a way that nothing declares.
 */
function hiddenTokens(view: TrajectoryView, seen: Uint8Array, start: number, end: number, equal: boolean): Span[] {
  let first = start
  while (first < end && seen[first] === 0) first++
  let last = end
  while (last > first && seen[last - 1] === 0) last--
  const turns = view.segmentation?.turns ?? []
  const from = Math.min(first, turns[0]?.start ?? first)
  const to = equal ? Math.max(last, turns.at(-1)?.end ?? last) : last
  const hidden = runsOf(seen, 0, from, to)
  // Padding inside the row is hidden rightly.
  const residual = hidden.length === 0 ? [] : residualPads(view)
  return hidden.filter((run) => !residual.some((pads) => pads.start <= run.start && run.end <= pads.end))
}
