import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../fact-columns.ts'
import type { TrajectoryFacts } from '../facts.ts'

/** Fewer siblings whose prompts describe all tools show no custom. */
const FEWEST_WHOLE = 2

/**
 * Names rollouts whose prompt lacks some of the record's tools, where others of their group describe all of theirs: a choice among many tools is made for a
 * question, or anew for each rollout, and then they do not lack the same.
 */
export function* lookAtToolsLeftOut({ facts, groups }: DumpView, report: DumpReporter): Steps<void> {
  if (new FactColumns(facts).isEmpty('toolsLeftOut')) return
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

function describesAll({ ofTools, toolsLeftOut, toolsDiffer, toolsMissing }: TrajectoryFacts): boolean {
  return ofTools === true && toolsLeftOut === undefined && toolsDiffer !== true && toolsMissing !== true
}
