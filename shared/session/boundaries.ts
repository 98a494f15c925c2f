import type { TrajectoryView } from '../checks/check.ts'
import { edgeAfter } from '../checks/edges.ts'
import { Expected } from '../model/tokens.ts'
import type { BoundaryRow } from './protocol.ts'

/** Counts over all edges of one kind. `ofX` = edges where X can be told, `X` = those where it is as it should be. */
export interface BoundaryCount {
  edges: number
  header: number
  end: number
  ofNewline: number
  newline: number
  ofMask: number
  mask: number
}

/** By kind of edge, `assistant>tool`. */
export type BoundaryCounts = Record<string, BoundaryCount>

/** Counts every turn edge of one trajectory: closed before, newline between, header after, and the mask across the edge. */
export function countBoundaries(view: TrajectoryView, into: BoundaryCounts): void {
  const { segmentation, mask, expected } = view
  if (segmentation === null) return
  const { turns, hasSeparator } = segmentation
  for (let i = 1; i < turns.length; i++) {
    const before = turns[i - 1] as (typeof turns)[number]
    const after = turns[i] as (typeof turns)[number]
    const count = (into[edgeAfter(segmentation, before)] ??= {
      edges: 0,
      header: 0,
      end: 0,
      ofNewline: 0,
      newline: 0,
      ofMask: 0,
      mask: 0,
    })
    count.edges++
    if (after.header === 'present') count.header++
    if (before.endToken >= 0) count.end++
    if (hasSeparator && before.endToken >= 0) {
      count.ofNewline++
      if (before.end > before.separatorStart) count.newline++
    }
    // A row that trains nothing is one fact (M04, or overlong masking), not a wrong mask at each of its edges.
    if (mask === null || expected === null || view.facts.trained === 0) continue
    count.ofMask++
    let right = true
    for (let token = before.contentEnd; token < after.contentStart && right; token++) {
      const should = expected[token]
      right = should === Expected.undecided || mask[token] === 255 || mask[token] === should
    }
    if (right) count.mask++
  }
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
      header: share(count.header, count.edges),
      end: share(count.end, count.edges),
      newline: share(count.newline, count.ofNewline),
      mask: share(count.mask, count.ofMask),
      counts: {
        header: { right: count.header, of: count.edges },
        end: { right: count.end, of: count.edges },
        newline: { right: count.newline, of: count.ofNewline },
        mask: { right: count.mask, of: count.ofMask },
      },
    }))
    .sort((a, b) => b.edges - a.edges || (a.boundary < b.boundary ? -1 : 1))
}
