import { counted } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { DumpReporter, GroupView } from '../check.ts'
import type { RowCredit } from './rows-of-rollout.ts'
import { rewardsOf, trainedIn } from './statistics.ts'

/** A04 of rollouts whose later rows are trained with the advantage of the first, turned around. */
export function* tellTurnedRows(groups: readonly GroupView[], credit: RowCredit, report: DumpReporter): Steps<void> {
  const look = (group: GroupView) => {
    const turned = credit.groups.get(group) ?? []
    report.unit(turned.length > 0)
    report.place(turned.length > 0)
    if (turned.length === 0) return
    const rows = turned.flatMap(({ rollout, advantages: [first = 0] }) =>
      (group.parts?.get(rollout) ?? []).filter(
        ({ advantage, trained }) => trained !== 0 && (advantage ?? 0) * first < 0,
      ),
    )
    report.fault({
      group,
      ...trainedIn(rows),
      message: `${counted(rows.length, 'row')} of ${counted(turned.length, 'rollout')} of group ${group.id} ${rows.length === 1 ? 'has' : 'have'} the advantage of the first row of the rollout with its sign turned, as the same rows of every rollout have`,
      evidence: {
        rewards: rewardsOf(group),
        stored: group.members.map(({ advantage }) => advantage),
        rollouts: turned.map(({ rollout, advantages }) => ({ trajectory: rollout.id, advantages })),
      },
    })
  }
  yield* forEachOf(groups, look)
}
