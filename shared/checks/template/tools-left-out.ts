import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/** Fewer siblings whose prompts describe all tools show no custom. */
const FEWEST_WHOLE = 2

/**
 * Names rollouts whose prompt lacks some of the record's tools, where others of their group describe all of theirs: a choice among many tools is made for a
 * question, or anew for each rollout, and then they do not lack the same.
 */
export function* lookAtToolsLeftOut(view: DumpView, report: DumpReporter): Steps<void> {
  const { facts, groups } = view
  if (new FactColumns(facts).isEmpty('toolsLeftOut')) return
  const lacked = yield* within(0, 0.4, findingLackedByAll(view))
  if (lacked !== null) return yield* within(0.4, 1, lookAtAll(facts, lacked, report))
  yield* forEachOf(groups, ({ members, id }) => {
    const lacking = members.filter(({ toolsLeftOut }) => toolsLeftOut !== undefined)
    if (lacking.length === 0) return
    const whole = members.filter(describesAll)
    const isOneChoice = lacking.every(({ toolsLeftOut }) => toolsLeftOut === lacking[0]?.toolsLeftOut)
    if (whole.length < FEWEST_WHOLE || !isOneChoice) return
    for (const member of lacking) {
      report.unitAfterAll()
      report.fault({
        member,
        message: `The prompt does not describe ${member.toolsLeftOut}, which the record has; those of ${count(whole.length)} of the ${counted(members.length, 'rollout')} of group ${id} describe all tools of their records`,
        evidence: { absent: member.toolsLeftOut, compared_with: whole[0]?.id ?? null },
      })
    }
  })
}

interface Lacked {
  readonly names: string
  /** Rollouts with tools, and those of them that call one of these. */
  readonly rollouts: number
  readonly calling: number
}

/**
 * The record's tools that no prompt of the dump describes, and that rollouts call: so many know of them that they stood in the prompts which were sampled,
 * and nobody chose a prompt without them. Null where prompts lack different ones, or some rollout with tools none.
 */
function* findingLackedByAll({ facts, settings }: DumpView): Steps<Lacked | null> {
  if (new FactColumns(facts).isEmpty('calledLeftOut')) return null
  const lists = new Set<string | null>()
  let rollouts = 0
  let calling = 0
  yield* forEachOf(facts, ({ ofTools, toolsLeftOut, calledLeftOut }) => {
    if (ofTools !== true) return
    rollouts++
    if (calledLeftOut !== undefined) calling++
    lists.add(calledLeftOut ?? toolsLeftOut ?? null)
  })
  const [names] = lists
  const fewest = Math.max(FEWEST_CALLING, settings.thresholds['stray-call-share'] * rollouts)
  return lists.size > 1 || names == null || calling < fewest ? null : { names, rollouts, calling }
}

/** A single rollout may have invented the name. */
const FEWEST_CALLING = 2

/** Those that call one are named by their own ids. */
function* lookAtAll(
  facts: readonly TrajectoryFacts[],
  { names, rollouts, calling }: Lacked,
  report: DumpReporter,
): Steps<void> {
  yield* forEachOf(facts, (member) => {
    if (member.toolsLeftOut === undefined) return
    report.unitAfterAll()
    report.fault({
      member,
      message: `The prompt does not describe ${names}, which the record has, and neither does any other prompt of the dump: ${count(calling)} of ${counted(rollouts, 'rollout')} call what it lacks`,
      evidence: { absent: names, calling },
    })
  })
}

function describesAll({ ofTools, toolsLeftOut, toolsDiffer, toolsMissing }: TrajectoryFacts): boolean {
  return ofTools === true && toolsLeftOut === undefined && toolsDiffer !== true && toolsMissing !== true
}
