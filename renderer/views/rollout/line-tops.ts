import { partitionPoint } from '../../../shared/model/partition-point.ts'
import { RowKind, type TokenLayout } from './layout.ts'

export const LINE_HEIGHT = 24
const GRID_HEIGHT = 46

/** Where the lines of a rollout stand, in pixels from the first one's top. */
export interface LineTops {
  /** Number of lines. */
  readonly count: number
  /** Height of all lines, or about that of those that are not laid out yet. */
  readonly total: number
  /** Where a line begins; the end of the last one for `count`. */
  topOf(line: number): number
}

export function lineTops(layout: Pick<TokenLayout, 'count' | 'estimate' | 'kinds'>, isGrid: boolean): LineTops {
  const { count, kinds } = layout
  if (!isGrid) return { count, total: layout.estimate * LINE_HEIGHT, topOf: (line) => line * LINE_HEIGHT }
  const tops = new Int32Array(count + 1)
  for (let line = 0; line < count; line++) {
    tops[line + 1] = (tops[line] as number) + (kinds[line] === RowKind.tokens ? GRID_HEIGHT : LINE_HEIGHT)
  }
  return { count, total: tops[count] as number, topOf: (line) => tops[line] as number }
}

/** The line at a height, the first or last one beyond the ends; 0 where there is none. */
export function lineAt({ count, topOf }: LineTops, top: number): number {
  return Math.max(0, partitionPoint(count, (line) => topOf(line) <= top) - 1)
}

/** First and last line of those that a window onto them shows. */
export function linesBetween(tops: LineTops, top: number, bottom: number): readonly [first: number, last: number] {
  const first = lineAt(tops, top)
  const behind = partitionPoint(tops.count, (line) => tops.topOf(line + 1) < bottom)
  return [first, Math.max(first, Math.min(tops.count - 1, behind))]
}
