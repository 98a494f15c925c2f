import { counted } from '../../model/number-text.ts'
import type { AuditSettings, Check, Reporter, TrajectoryView } from '../check.ts'

/** C14. A cut kept the prompt, or padding, and dropped the completion: the row costs a forward pass and trains nothing. */
export const nothingLeft: Check = {
  code: 'C14',
  name: 'completion-cut-away',
  title: 'Nothing of the completion is left',
  hypotheses: ['H04'],
  severity: 'info',
  unit: 'trajectory',
  needs: ['ids', 'mask'],
  looksAt: 'rollouts',
  why: 'A truncation that keeps the wrong end leaves rows without a single token that the model wrote.',
  fix: 'Look at the truncation mode (keep_end and its like) and at the order of padding and cutting.',
  cite: 'TRL#3398, TRL#5826',
  trajectory: lookAtRow,
}

function lookAtRow({ facts, ids, segmentation }: TrajectoryView, _settings: AuditSettings, report: Reporter): void {
  if (ids.length === 0 || facts.excluded) return
  const padded = facts.realLength === 0
  const noCompletion =
    facts.trained === 0 && (facts.endReason === 'prompt-only' || facts.promptLength === facts.realLength)
  const affected = padded || noCompletion
  report.place(affected)
  if (!affected) return
  const start = segmentation?.padding.left ?? 0
  report.fault({
    scope: 'trajectory',
    tokens: padded ? null : { start, end: Math.min(ids.length, start + facts.realLength) },
    affected: [],
    message: padded
      ? `All ${counted(ids.length, 'token')} of the row are padding`
      : `The row holds a prompt of ${facts.realLength} tokens and nothing that the model wrote`,
    evidence: {
      length: facts.length,
      padding: facts.padding,
      prompt_tokens: facts.promptLength,
      trained_tokens: facts.trained,
      reward: facts.reward,
      is_truncated: facts.isTruncated,
    },
  })
}
