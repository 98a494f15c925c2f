import { useMemo, useRef } from 'react'
import { knownRow } from '../../data/rows.ts'
import { useFiles } from '../../state/files.ts'
import { decimalsOf } from '../../text/numbers.ts'
import { type Column, withDecimals } from './column.ts'

/**
 * Gives the columns of reals like decimals: as many as any row of the dump took that has been on screen, since a column that is scrolled
 * is never known whole.
 */
export function useDecimals(columns: readonly Column[], drawn: Int32Array): readonly Column[] {
  const dump = useFiles((files) => files.dumpHash)
  const seen = useRef<{ dump: string | null; most: ReadonlyMap<string, number> }>({ dump, most: new Map() })
  const before = seen.current.dump === dump ? seen.current.most : new Map<string, number>()
  const most = new Map(before)
  for (const { key, real } of columns) {
    if (real === undefined) continue
    const values = Array.from(drawn, (index) => {
      const row = knownRow(index)
      return row === null ? null : real(row)
    })
    most.set(key, Math.max(before.get(key) ?? 0, decimalsOf(values)))
  }
  const isSame = most.size === before.size && [...most].every(([key, digits]) => before.get(key) === digits)
  const kept = isSame ? before : most
  seen.current = { dump, most: kept }
  return useMemo(() => withDecimals(columns, kept), [columns, kept])
}
