import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { TagName } from '../../../shared/session/rollout/tags.ts'
import type { Fold } from './layout.ts'

/** The stretches that are folded, in order. Of two that overlap the first holds the other. A single token is no shorter when it is folded. */
export function foldsOf({ tags }: Pick<TrajectoryDetail, 'tags'>, folded: readonly TagName[]): Fold[] {
  const folds: Fold[] = []
  let reached = 0
  for (const { name, start, end } of tags) {
    if (start < reached || end - start < 2 || !folded.includes(name)) continue
    folds.push({ name, start, end })
    reached = end
  }
  return folds
}

/** Tags of a rollout with how often each is there, most frequent first. */
export function tagCounts({
  tags,
}: Pick<TrajectoryDetail, 'tags'>): { readonly name: TagName; readonly count: number }[] {
  const counts = new Map<TagName, number>()
  for (const { name } of tags) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count)
}
