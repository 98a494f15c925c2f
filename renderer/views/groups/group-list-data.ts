import { useEffect } from 'react'
import type { GroupQuery, GroupRow } from '../../../shared/session/requests/groups.ts'
import { observable } from '../../data/observable.ts'
import { Pages } from '../../data/pages.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { ask } from '../../engine/engine.ts'

/** Positions of the groups that the list shows and that j and k walk through, in order. */
export const groupList = observable<Int32Array>(new Int32Array(0))

/** What stands behind a position. It is let go with every new answer, since groups grow while a dump is read. */
export const groupPages = new Pages<GroupRow>(async (positions) =>
  (await ask('groupRows', { positions })).map((row) => [row.position, row] as const),
)

/** Keeps the list true to the query; null until the first answer. */
export function useGroupList(query: GroupQuery): { readonly positions: Int32Array; readonly total: number } | null {
  const answer = useAnswer('groups', query)
  const value = answer.state === 'ready' ? answer.value : null
  useEffect(() => {
    if (value === null) return
    groupPages.clear()
    groupList.set(value.positions)
  }, [value])
  return value
}
