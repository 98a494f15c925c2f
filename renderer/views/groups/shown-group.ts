import { clauseText } from '../../../shared/query/language/format.ts'
import type { GroupDetail } from '../../../shared/session/requests/groups.ts'
import { observable } from '../../data/observable.ts'
import { NO_FILTERS, useFilters } from '../../state/filters.ts'
import { selectRollout } from '../../state/selection.ts'
import { say, show } from '../../state/view.ts'

/** The group on screen, for commands that are about it; null until it has been read. */
export const shownGroup = observable<GroupDetail | null>(null)

/** What finds the rollouts of a group in the table; null where they have no key and are told by their order alone. */
export function groupQuery({ members, row }: GroupDetail): string | null {
  const key = members[0]?.row.facts.group ?? null
  if (key === null) return null
  return [clauseText('group', key), ...(row.step === null ? [] : [clauseText('step', String(row.step))])].join(' ')
}

export function showInTable(group: GroupDetail): void {
  const query = groupQuery(group)
  if (query === null) {
    say('These rollouts have no group in the dump: they are told by their order alone')
    return
  }
  // First of all, so that the place that is left keeps its own address.
  show('rollouts')
  useFilters.setState({ ...NO_FILTERS, query })
  selectRollout(null)
}
