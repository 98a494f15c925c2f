import { useMemo } from 'react'
import type { Row } from '../../../shared/session/protocol.ts'
import { decimalsOf } from '../../text/numbers.ts'
import { type Column, withDecimals } from './column.ts'
import { useMostSeen } from './use-most-seen.ts'

/** Gives the columns of reals like decimals. */
export function useDecimals(columns: readonly Column[], drawn: Int32Array): readonly Column[] {
  const most = useMostSeen(columns, drawn, decimalsIn)
  return useMemo(() => withDecimals(columns, most), [columns, most])
}

function decimalsIn({ real }: Column): ((row: Row) => number) | null {
  return real === undefined ? null : (row) => decimalsOf([real(row)])
}
