import { roleKind } from '../../model/roles.ts'
import type { DumpReporter, DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { writtenTurns } from '../oracles/edges.ts'

/**
 * Whether the messages of a rollout call tools, and its ids name one of these where the model wrote, but none of its turns has a call: how this template
 * writes calls (InternLM's `<|action_start|>`, Granite's `<|tool_call|>`) is not known. Ids without the name lack the call itself (T12).
 */
export function unreadCallsFact(view: TrajectoryView): Pick<TrajectoryFacts, 'unreadCalls'> | null {
  const { trajectory, segmentation, text } = view
  if (segmentation === null || trajectory.messages === null) return null
  const names = new Set<string>()
  for (const { role, toolCalls } of trajectory.messages) {
    if (roleKind(role) !== 'assistant') continue
    for (const { name } of toolCalls ?? []) if (name) names.add(name)
  }
  if (names.size === 0) return null
  const written = writtenTurns(segmentation)
  if (written.some(({ spans }) => spans.some(({ part }) => part === 'tool_call'))) return null
  const isNamed = written.some(({ contentStart, contentEnd }) => {
    const said = text({ start: contentStart, end: contentEnd })
    return [...names].some((name) => said.includes(name))
  })
  return isNamed ? { unreadCalls: true } : null
}

/** A check of calls that found none has not looked at those which it could not read. */
export function abstainUnreadCalls({ facts }: DumpView, report: DumpReporter): void {
  if (!new FactColumns(facts).isEmpty('unreadCalls'))
    report.abstain(
      'not-checkable',
      'the messages call tools, and the way in which this template writes calls is not known: none was found in the ids',
    )
}
