import { useEffect } from 'react'
import type { PairQuery, PairRow } from '../../../shared/session/requests/compare.ts'
import { observable } from '../../data/observable.ts'
import { Pages } from '../../data/pages.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { ask } from '../../engine/engine.ts'

/** Positions of the pairs that the list shows and that j and k walk through, in order. */
export const pairList = observable<Int32Array>(new Int32Array(0))

export const pairPages = new Pages<PairRow>(async (positions) =>
  (await ask('pairRows', { positions })).map((row) => [row.position, row] as const),
)

/** Keeps the list true to the query; null until the first answer. */
export function usePairList(query: PairQuery): Int32Array | null {
  const answer = useAnswer('pairs', query)
  const value = answer.state === 'ready' ? answer.value.positions : null
  useEffect(() => {
    if (value === null) return
    pairPages.clear()
    pairList.set(value)
  }, [value])
  return value
}
