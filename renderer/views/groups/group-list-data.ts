import { useEffect } from 'react'
import type { GroupQuery, GroupRow } from '../../../shared/session/requests/groups.ts'
import { observable } from '../../data/observable.ts'
import { Pages } from '../../data/pages.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { ask } from '../../engine/engine.ts'
import { useFiles } from '../../state/files.ts'

/** Positions of the groups that the list shows and that j and k walk through, in order. */
export const groupList = observable<Int32Array>(new Int32Array(0))

/** More letters than these the narrowest column of ids has no room for. */
const SHORT_ID = 9

/** Whether a group that has been on screen has a longer id: its column gets the room that there is, and more of the window. */
export const hasLongIds = observable(false)
let seenIn: string | null = null

/** What stands behind a position. It is let go with every new answer, since groups grow while a dump is read. */
export const groupPages = new Pages<GroupRow>(async (positions) => {
  const rows = await ask('groupRows', { positions })
  const { dumpHash } = useFiles.getState()
  const seen = seenIn === dumpHash && hasLongIds.get()
  seenIn = dumpHash
  hasLongIds.set(seen || rows.some(({ id }) => id.length > SHORT_ID))
  return rows.map((row) => [row.position, row] as const)
})

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
