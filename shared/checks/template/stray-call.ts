import { count } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { DumpFault, DumpReporter, DumpView, TrajectoryView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { systemText } from '../texts/system-text.ts'
import { promptTools } from './prompt-tools.ts'

/** What is kept of a row whose model calls a tool of which nothing in the row knows. */
export interface StrayCall {
  readonly prompt: readonly [number, number]
  readonly call: readonly [number, number]
  readonly called: string | null
}

/** The call of a row whose record has no tools, whose prompt describes none, and in which no tool answers; null elsewhere. */
export function strayCall(view: TrajectoryView): StrayCall | null {
  const found = promptTools(view)
  if (found === null || found.state !== 'missing' || found.call === null) return null
  const { prompt, call, called } = found
  return isUsed(view) ? null : { prompt: [prompt.start, prompt.end], call: [call.start, call.end], called }
}

/** The record has tools, or one answers. Where there are no tools a user may answer a call, and say so. */
function isUsed(view: TrajectoryView): boolean {
  return (view.trajectory.tools?.length ?? 0) > 0 || isAnswered(view)
}

/** A tool answers, by the ids or by the messages. */
export function isAnswered({ trajectory, segmentation }: TrajectoryView): boolean {
  return (
    (segmentation?.turns ?? []).some(({ kind }) => kind === 'tool') ||
    (trajectory.messages ?? []).some(({ role }) => role === 'tool')
  )
}

/** By which the rollouts are told whose call no other rollout of the run accounts for. */
export function strayCallFacts(view: TrajectoryView): Pick<TrajectoryFacts, 'strayCall' | 'ofTools'> {
  const stray = strayCall(view)
  if (stray !== null) return speaksOfTools(view) ? { strayCall: stray, ofTools: true } : { strayCall: stray }
  return isUsed(view) || promptTools(view) !== null || speaksOfTools(view) ? { ofTools: true } : {}
}

function speaksOfTools({ segmentation, tokenizer, ids }: TrajectoryView): boolean {
  return (
    segmentation !== null &&
    tokenizer !== null &&
    systemText(tokenizer.table, ids, segmentation)?.speaksOfTools === true
  )
}

/**
 * Names stray calls unless they are few in a run that shows no tool anywhere: a model that was trained to use tools invents one now and then. Where
 * schemas were lost it calls as often as it was taught to, or tools answer.
 */
export function* lookAtStrayCalls(
  view: DumpView,
  report: DumpReporter,
  faultOf: (stray: StrayCall) => Omit<DumpFault, 'member'>,
): Steps<void> {
  const columns = new FactColumns(view.facts)
  const stray = columns.having('strayCall')
  if (stray.length === 0) return
  const share = view.settings.thresholds['stray-call-share']
  const rollouts = view.facts.length
  if (columns.isEmpty('ofTools') && stray.length < share * rollouts) {
    const calls = stray.length === 1 ? 'rollout calls' : 'rollouts call'
    return report.abstain(
      'not-applicable',
      `no rollouts with tools: ${count(stray.length)} of ${count(rollouts)} ${calls} one that nothing in the dump knows and no tool answers, so few that the model invents it`,
    )
  }
  yield* forEachOf(stray, (member) => {
    if (!member.strayCall) return
    report.unit(true)
    report.place(true)
    report.fault({ member, ...faultOf(member.strayCall) })
  })
}
