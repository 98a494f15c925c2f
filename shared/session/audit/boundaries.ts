import type { TrajectoryView } from '../../checks/check.ts'
import { edgeAfter } from '../../checks/oracles/edges.ts'
import { isAsExpected } from '../../checks/oracles/shape.ts'
import { MASK_UNKNOWN } from '../../checks/oracles/states.ts'
import { Expected, type Turn } from '../../model/tokens.ts'
import type { BoundaryRow } from '../protocol.ts'

/** Counts over all edges of one kind. `ofX` = edges where X can be told, `X` = those where it is as it should be. */
export interface BoundaryCount {
  edges: number
  ofHeader: number
  header: number
  end: number
  ofNewline: number
  newline: number
  ofMask: number
  mask: number
}

/** By kind of edge, `assistant>tool`; `assistant>end` is the end of the row. */
export type BoundaryCounts = Record<string, BoundaryCount>

/**
 * Counts every turn edge of one trajectory: closed before, newline between, header after, and the mask across the edge, from the last
 * token of what one turn holds to the first of what the next does: one that is trained whole is wrong at both its edges. The end of
 * the last turn is an edge with nothing behind it: no header can be missing there, and a newline need not follow.
 */
export function countBoundaries(view: TrajectoryView, into: BoundaryCounts): void {
  const { segmentation } = view
  if (segmentation === null) return
  const { turns, hasSeparator } = segmentation
  const agrees = isAsExpected(view)
  for (let i = 0; i < turns.length; i++) {
    const before = turns[i] as Turn
    const after = turns[i + 1] ?? null
    // A bare generation prompt was never meant to be closed.
    if (after === null && segmentation.endsWithGenerationPrompt) continue
    const count = (into[edgeAfter(segmentation, before)] ??= {
      edges: 0,
      ofHeader: 0,
      header: 0,
      end: 0,
      ofNewline: 0,
      newline: 0,
      ofMask: 0,
      mask: 0,
    })
    count.edges++
    if (before.endToken >= 0) count.end++
    if (after !== null) {
      count.ofHeader++
      if (after.header === 'present') count.header++
      if (hasSeparator && before.endToken >= 0) {
        count.ofNewline++
        if (before.end > before.separatorStart) count.newline++
      }
    }
    const { mask, expected, facts } = view
    // A row that trains nothing is one fact (M04, or overlong masking), not a wrong mask at each of its edges.
    if (mask === null || expected === null || facts.trained === 0) continue
    count.ofMask++
    if (agrees || isMaskRight(mask, expected, ...acrossEdge(before, after))) count.mask++
  }
}

function acrossEdge(before: Turn, after: Turn | null): [start: number, end: number] {
  const start = Math.max(before.contentStart, before.contentEnd - 1)
  return [start, after === null ? before.end : Math.min(after.contentStart + 1, after.end)]
}

function isMaskRight(mask: Uint8Array, expected: Uint8Array, start: number, end: number): boolean {
  for (let token = start; token < end; token++) {
    const should = expected[token]
    if (should !== Expected.undecided && mask[token] !== MASK_UNKNOWN && mask[token] !== should) return false
  }
  return true
}

export function addBoundaries(into: BoundaryCounts, from: BoundaryCounts): void {
  for (const [kind, counts] of Object.entries(from)) {
    const sum = into[kind]
    if (sum === undefined) into[kind] = { ...counts }
    else for (const key of Object.keys(counts) as (keyof BoundaryCount)[]) sum[key] += counts[key]
  }
}

/** The boundary table, most frequent edge first. */
export function boundaryRows(counts: BoundaryCounts): BoundaryRow[] {
  const share = (part: number, of: number) => (of === 0 ? null : part / of)
  return Object.entries(counts)
    .map(([boundary, count]) => ({
      boundary,
      edges: count.edges,
      header: share(count.header, count.ofHeader),
      end: share(count.end, count.edges),
      newline: share(count.newline, count.ofNewline),
      mask: share(count.mask, count.ofMask),
      counts: {
        header: { right: count.header, of: count.ofHeader },
        end: { right: count.end, of: count.edges },
        newline: { right: count.newline, of: count.ofNewline },
        mask: { right: count.mask, of: count.ofMask },
      },
    }))
    .sort((a, b) => b.edges - a.edges || (a.boundary < b.boundary ? -1 : 1))
}
