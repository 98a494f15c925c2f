import type { GroupRequests } from '../requests/groups.ts'
import type { RequestHandlers } from '../requests/handlers.ts'
import { type GroupOrigin, groupsOf } from './groups.ts'
import { groupSummary } from './summary.ts'
import { groupTable, siblingTable } from './tables.ts'

/** @param current what is open; throws with a sentence where nothing is */
export function groupHandlers(current: () => GroupOrigin): RequestHandlers<GroupRequests> {
  const book = () => groupsOf(current())
  return {
    groupSummary: async () => groupSummary(book()),
    async groups(query) {
      const { known } = book()
      return { positions: book().query(query), total: known.length }
    },
    async groupRows({ positions }) {
      const own = book()
      return positions.flatMap((position) => (own.known[position] === undefined ? [] : own.row(position)))
    },
    group: async ({ position }) => book().detail(position),
    groupTable: async ({ query, as }) => groupTable(book(), query, as),
    siblingTable: async ({ position, as }) => siblingTable(book(), position, as),
    async groupMembers({ positions }) {
      const own = book()
      return { indices: positions.flatMap((position) => own.indices(position)).sort((a, b) => a - b) }
    },
  }
}
