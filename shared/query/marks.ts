import type { MarkColumns } from './verdicts.ts'

/** What people attached to rollouts, as far as a query may ask for it. Rollouts are told by their index in report order. */
export interface SearchMarks {
  readonly flagged: readonly number[]
  /** Rollouts by label. */
  readonly labels: Readonly<Record<string, readonly number[]>>
  /** A rollout may have several: its own and those of its tokens. */
  readonly notes: readonly { readonly index: number; readonly text: string }[]
}

export function markColumns({ flagged, labels, notes }: SearchMarks): MarkColumns {
  const byRollout = new Map<number, string[]>()
  for (const { index, text } of notes) {
    const known = byRollout.get(index)
    if (known === undefined) byRollout.set(index, [text])
    else known.push(text)
  }
  return {
    flagged: new Set(flagged),
    labels: new Map(Object.entries(labels).map(([label, indices]) => [label, new Set(indices)])),
    notes: byRollout,
  }
}
