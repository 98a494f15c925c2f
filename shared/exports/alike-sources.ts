import type { SourceReport } from '../model/report.ts'

/** Files of which the same is told, with something of their own to tell none of them. */
export type AlikeSources = readonly [SourceReport, ...SourceReport[]]

/** Files of which the same is told stand together, at the place of the first; those with something of their own to tell stand alone. */
export function alikeSources(sources: readonly SourceReport[]): AlikeSources[] {
  const groups: [SourceReport, ...SourceReport[]][] = []
  const byWords = new Map<string, SourceReport[]>()
  for (const source of sources) {
    const { container, format, missing, notes = [], drift, skipped, unreadable } = source
    const hasOwn = notes.length + drift.length + skipped.length > 0 || unreadable !== undefined
    const words = JSON.stringify([container, format, missing])
    const known = hasOwn ? undefined : byWords.get(words)
    if (known !== undefined) {
      known.push(source)
      continue
    }
    const group: [SourceReport] = [source]
    groups.push(group)
    if (!hasOwn) byWords.set(words, group)
  }
  return groups
}

/** Sums over files that are told together. */
export function sumOf(alike: AlikeSources, of: 'bytes' | 'trajectories' | 'records'): number {
  return alike.reduce((sum, source) => sum + source[of], 0)
}
