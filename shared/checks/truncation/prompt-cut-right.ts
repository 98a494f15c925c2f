import type { AuditSettings, Check, Reporter, TrajectoryView } from '../check.ts'
import { limitOf } from './limit-of.ts'
import { promptTurns } from './prompt-faults.ts'
import { namedParts } from './what-was-lost.ts'

/** C02. The prompt was cut at its end or in its middle: what the model answers is not what was asked. */
export const promptCutRight: Check = {
  code: 'C02',
  name: 'prompt-cut-right',
  title: 'Prompt is cut on the right or in the middle',
  hypotheses: ['H04'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'turns of the prompt',
  why: 'The question or the generation prompt is gone, or two halves are glued together: the answer is trained on another prompt.',
  fix: 'Drop or shorten prompts above the limit instead of cutting them, or raise the prompt limit.',
  cite: 'verl#5965, verl#506, Model-Optimizer#2113',
  trajectory: lookAtPrompt,
}

function lookAtPrompt(view: TrajectoryView, settings: AuditSettings, report: Reporter): void {
  const { trajectory } = view
  for (const { turn, role, fault } of promptTurns(view)) {
    report.place(fault !== null, { turn: turn.ordinal })
    if (fault === null) continue
    const seam = { start: Math.max(turn.start, fault.at - 16), end: Math.min(view.ids.length, fault.at + 16) }
    report.fault({
      turn,
      tokens: { start: seam.start, end: Math.min(turn.end, seam.end) },
      affected: [],
      message: fault.message,
      evidence: {
        role,
        cut: fault.cut,
        limit: limitOf('max_prompt_length', settings, trajectory),
        prompt_tokens: view.facts.promptLength,
        before: view.text({ start: seam.start, end: fault.at }),
        after: view.text({ start: fault.at, end: seam.end }),
        lost_tokens: fault.lostTokens,
        lost_text: fault.lost?.slice(0, 400) ?? null,
        lost_parts: fault.lost === null ? null : namedParts(trajectory, fault.lost),
      },
    })
  }
}
