import { roleKind } from '../../model/roles.ts'
import type { Turn } from '../../model/tokens.ts'
import { learnedTemplateOf } from '../../tokens/template/rerender.ts'
import type { Check } from '../check.ts'
import { listOf } from '../oracles/spans.ts'
import { holdPromptAlone } from '../texts/beyond-messages.ts'
import { repeatedSystemTurns } from './repeated-system.ts'

export const T11: Check = {
  code: 'T11',
  name: 'replies-split',
  title: 'Parallel tool replies stand in turns of their own',
  hypotheses: ['H02', 'H07'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'messages', 'tokenizer', 'template'],
  looksAt: 'runs of tool replies',
  why: 'Each message was rendered alone. The template puts replies to one turn together, so the model is trained on a layout that inference never shows it.',
  fix: 'Render all replies to one turn in one call of the template.',
  cite: 'slime#2263, verl#7807, verl#3477',
  trajectory(view, _settings, report) {
    const { segmentation, trajectory, tokenizer, ids } = view
    const { messages } = trajectory
    if (segmentation === null || tokenizer === null || messages === null) return
    // Messages of the prompt alone say nothing of replies, and ids show who replied.
    if (!holdPromptAlone(messages) && longestRun(messages) < 2) return
    if (learnedTemplateOf(tokenizer)?.mergesReplies !== true) return
    for (const run of runsOfReplies(segmentation.turns, repeatedSystemTurns(view))) {
      const first = run[0] as Turn
      const last = run.at(-1) as Turn
      report.place(run.length > 1, { turn: first.ordinal })
      if (run.length === 1) continue
      report.fault({
        turn: first,
        tokens: { start: first.start, end: last.end },
        message: `${run.length} tool replies after assistant turn ${first.ordinal} have a ${first.role} turn each, where the chat template writes one`,
        evidence: {
          turns: run.map(({ index }) => index),
          headers: run.map(({ start, headerEnd }) => listOf(ids, start, headerEnd)),
          reason: 'rendered message by message',
        },
        affected: [],
      })
    }
  },
}

/**
 * Tool turns that follow each other, all with headers of their own. A message that is rendered alone gets the template's system turn as well
 * (T09): one that is there again parts no replies.
 *
 * @param again system turns that no message has
 */
function runsOfReplies(turns: readonly Turn[], again: readonly Turn[]): Turn[][] {
  const runs: Turn[][] = []
  let before: Turn | null = null
  for (const turn of turns) {
    if (again.includes(turn)) continue
    if (turn.kind === 'tool' && turn.header === 'present') {
      if (before !== null && runs.at(-1)?.at(-1) === before) runs.at(-1)?.push(turn)
      else runs.push([turn])
    }
    before = turn
  }
  return runs
}

/** Most tool messages in a row. */
function longestRun(messages: readonly { readonly role: string }[]): number {
  let longest = 0
  let run = 0
  for (const { role } of messages) {
    run = roleKind(role) === 'tool' ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}
