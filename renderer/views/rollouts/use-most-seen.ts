import { useRef } from 'react'
import type { Row } from '../../../shared/session/protocol.ts'
import { knownRow } from '../../data/rows.ts'
import { useFiles } from '../../state/files.ts'
import type { Column } from './column.ts'

/**
 * The most that each column took of something in any row of the dump that has been on screen, by the column's key: a column that is scrolled is never
 * known whole. The same map as long as nothing in it changes.
 *
 * @param measureOf null where a column takes none of it
 */
export function useMostSeen(
  columns: readonly Column[],
  drawn: Int32Array,
  measureOf: (column: Column) => ((row: Row) => number) | null,
): ReadonlyMap<string, number> {
  const dump = useFiles((files) => files.dumpHash)
  const seen = useRef<{ dump: string | null; most: ReadonlyMap<string, number> }>({ dump, most: new Map() })
  const before = seen.current.dump === dump ? seen.current.most : new Map<string, number>()
  const most = new Map(before)
  for (const column of columns) {
    const measure = measureOf(column)
    if (measure === null) continue
    let highest = before.get(column.key) ?? 0
    for (const index of drawn) {
      const row = knownRow(index)
      if (row !== null) highest = Math.max(highest, measure(row))
    }
    most.set(column.key, highest)
  }
  const isSame = most.size === before.size && [...most].every(([key, value]) => before.get(key) === value)
  const kept = isSame ? before : most
  seen.current = { dump, most: kept }
  return kept
}
