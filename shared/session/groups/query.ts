import { mean } from '../../checks/groups/statistics.ts'
import { stepOf } from '../../checks/groups/step-scales.ts'
import { wordRanks } from '../../query/word-order.ts'
import { codesOf } from '../audit/collected.ts'
import type { GroupQuery, GroupSort } from '../requests/groups.ts'
import { type KnownGroup, marksOf } from './known.ts'

/** Positions of the groups that a query keeps, in its order; groups without a value in the sorted column come last. */
export function groupsThatFit(all: readonly KnownGroup[], query: GroupQuery): Int32Array {
  const kept: number[] = []
  for (const [position, known] of all.entries()) if (isKept(known, query)) kept.push(position)
  const positions = Int32Array.from(kept)
  const column = query.sort ?? 'order'
  if (column === 'order') return query.descending ? positions.reverse() : positions
  const ranks = column === 'id' ? wordRanks(kept.map((position) => (all[position] as KnownGroup).group.id)) : null
  const value = (position: number, i: number) => ranks?.[i] ?? sortValue(all[position] as KnownGroup, column)
  const values = new Map(kept.map((position, i) => [position, value(position, i)]))
  const direction = query.descending ? -1 : 1
  return positions.sort((a, b) => {
    const [left, right] = [values.get(a) ?? null, values.get(b) ?? null]
    if (left === null || right === null) return left === right ? a - b : left === null ? 1 : -1
    return compare(left, right) * direction || a - b
  })
}

function isKept(known: KnownGroup, { kinds, marks, std, step, text }: GroupQuery): boolean {
  if (kinds?.length && !kinds.includes(known.kind)) return false
  if (marks?.length) {
    const own = marksOf(known)
    if (!marks.some((mark) => own.includes(mark))) return false
  }
  if (std !== undefined) {
    const value = known.spread?.contrast ? known.spread.std : null
    if (value === null || value < std.atLeast || value >= std.below) return false
  }
  if (step !== undefined && stepOf(known.group) !== step) return false
  const wanted = text?.trim().toLowerCase() ?? ''
  return wanted === '' || known.group.id.toLowerCase().includes(wanted)
}

/** Null also for ids, which are in the order of words. */
function sortValue(known: KnownGroup, column: GroupSort): number | null {
  const { group, spread } = known
  switch (column) {
    case 'id':
    case 'order':
      return null
    case 'step':
      return stepOf(group)
    case 'rollouts':
      return group.members.length
    case 'mean':
      return spread === null ? null : mean(spread.rewards)
    case 'std':
      return spread?.std ?? null
    case 'amplification':
      return spread?.contrast ? spread.amplification : null
    case 'advantage':
      return known.largestAdvantage === null || Number.isNaN(known.largestAdvantage) ? null : known.largestAdvantage
    case 'findings':
      return codesOf(known.findings).length
  }
}

function compare(left: number, right: number): number {
  return left < right ? -1 : left > right ? 1 : 0
}
