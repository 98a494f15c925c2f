import { count } from '../../model/number-text.ts'
import type { AuditSettings, Check, Reporter, TrajectoryView } from '../check.ts'
import { completionLength } from '../limits/limits.ts'

/** A08. The length that the run reports for a response is that of the whole span after the prompt, tool replies included. */
export const reportedLength: Check = {
  code: 'A08',
  name: 'response-length-counts-tools',
  title: 'Reported response length counts tool tokens',
  hypotheses: ['H05'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'mask', 'tokenizer'],
  looksAt: 'rollouts with tool replies and a reported length',
  why: 'Length penalties and overlong filters then follow what the environment wrote, and not what the model did.',
  fix: 'Report and penalise the sum of the loss mask.',
  cite: 'OpenRLHF#1252, OpenRLHF#1255, OpenRLHF#1243',
  trajectory: lookAtLength,
}

/** Fields in which trainers and evaluations write the length of a response, in tokens. */
const FIELDS = [
  'response_length',
  'response_len',
  'completion_length',
  'completion_len',
  'completion_tokens',
  'num_completion_tokens',
  'response_tokens',
  'num_response_tokens',
]

function lookAtLength({ facts, trajectory }: TrajectoryView, { thresholds }: AuditSettings, report: Reporter): void {
  const replies = facts.toolReplyLengths.reduce((sum, length) => sum + length, 0)
  const reported = reportedIn(trajectory.meta)
  if (reported === null || replies === 0 || facts.promptLength === null) return
  const sampled = facts.assistantLengths.reduce((sum, length) => sum + length, 0)
  const span = completionLength(facts)
  // One separator more or less is nobody's mistake.
  const enough = replies >= thresholds['reply-share'] * span
  const affected = Math.abs(reported.length - span) <= 1 && enough && sampled < span - 1
  report.place(affected)
  if (!affected) return
  report.fault({
    scope: 'trajectory',
    message: `${reported.field} is ${count(reported.length)}, the span after the prompt; the model wrote ${count(sampled)} of it, ${count(replies)} are tool replies`,
    evidence: {
      field: reported.field,
      reported: reported.length,
      tokens_after_prompt: span,
      sampled_tokens: sampled,
      trained_tokens: facts.trained,
      reply_tokens: replies,
    },
  })
}

function reportedIn(meta: Readonly<Record<string, unknown>>): { field: string; length: number } | null {
  for (const field of FIELDS) {
    const length = meta[field]
    if (typeof length === 'number' && Number.isInteger(length)) return { field, length }
  }
  return null
}
