import type { Check, TrajectoryView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { type SystemText, systemText } from '../texts/system-text.ts'

/** What templates write for a list of tools that is empty. In one line the two tags are how Qwen's template speaks of the block. */
const EMPTY_BLOCK = /^<tools>[^\S\n]*\n\s*<\/tools>|\[AVAILABLE_TOOLS\]\s*\[\s*\]/m

/** Llama's line for rows with tools; a line of built-in tools follows it where they are meant. */
const IPYTHON_LINE = /^Environment: ipython\s*$/m
const BUILT_IN_LINE = /^Tools: \S/m
/** How Llama's template says what a call looks like: it stands before an empty list as well, and names no tool. */
const CALL_SHAPE = /\{"name": function name, "parameters": [^{}]*\}/g

export const T08: Check = {
  code: 'T08',
  name: 'empty-tools',
  title: 'An empty list of tools is rendered as tools',
  hypotheses: ['H08'],
  severity: 'warning',
  unit: 'trajectory',
  needs: ['ids', 'tokenizer'],
  looksAt: 'system turns',
  why: 'The prompt announces tools that are not there: it differs from the prompt of a run that passes none.',
  fix: 'Pass tools=None and not [] to the chat template where a row has no tools.',
  cite: 'TRL#5379, TRL#5346',
  trajectory(view, _settings, report) {
    const system = systemOf(view)
    const turn = view.segmentation?.turns[0]
    if (system === null || turn === undefined) return
    const said = announcedBy(view, system)
    report.place(said !== null)
    if (said === null) return
    report.fault({
      turn,
      tokens: { start: turn.contentStart, end: turn.contentEnd },
      affected: [],
      message: `The system turn announces tools (${JSON.stringify(said)}), the prompt describes none`,
      evidence: { announced: said, tools: view.trajectory.tools, system: system.text.slice(0, 400) },
    })
  },
}

function systemOf({ segmentation, tokenizer, ids }: TrajectoryView): SystemText | null {
  return segmentation === null || tokenizer === null ? null : systemText(tokenizer.table, ids, segmentation)
}

/** What announces the tools that are not there; null where nothing does. */
function announcedBy(view: TrajectoryView, { text }: SystemText): string | null {
  return EMPTY_BLOCK.exec(text)?.[0] ?? (announcesNothing(view, text) ? 'Environment: ipython' : null)
}

/** The fact of the few rollouts whose system turn announces tools that are not there. */
export function emptyToolsFacts(view: TrajectoryView): Pick<TrajectoryFacts, 'emptyTools'> | null {
  const system = systemOf(view)
  return system === null || announcedBy(view, system) === null ? null : { emptyTools: true }
}

/** The line that stands for tools, in a row that neither describes nor calls any. */
function announcesNothing({ segmentation, trajectory, text }: TrajectoryView, system: string): boolean {
  // Long prompts hardly ever have it, and a search for words is quicker than for lines.
  if (!system.includes('Environment: ipython')) return false
  if (!IPYTHON_LINE.test(system) || BUILT_IN_LINE.test(system) || (trajectory.tools?.length ?? 0) > 0) return false
  const turns = segmentation?.turns ?? []
  const uses = turns.some(({ kind, spans }) => kind === 'tool' || spans.some(({ part }) => part === 'tool_call'))
  const question = turns.find(({ kind }) => kind === 'user')
  // Llama describes custom tools in the first user turn.
  const prompt =
    question === undefined ? system : system + text({ start: question.contentStart, end: question.contentEnd })
  return !uses && !/"(?:parameters|name)"\s*:|\b\w+\([^)\n]{0,400}:/.test(prompt.replace(CALL_SHAPE, ''))
}
