import { TokenState } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { TagName } from '../../../shared/session/rollout/tags.ts'
import type { Fold } from './layout.ts'
import type { RolloutPlace } from './rollout-place.ts'

/** Fewer padding tokens than these take no more than a line or two as they are. */
const SHORTEST_PADDING = 16

/**
 * The stretches that are folded, in order. Of two that overlap the first holds the other. A single token is no shorter when it is folded.
 *
 * @param revealed the run of padding around it is not folded
 */
export function foldsOf(
  detail: Pick<TrajectoryDetail, 'tags' | 'states'>,
  { folded, isPaddingOpen }: Pick<RolloutPlace, 'folded' | 'isPaddingOpen'>,
  revealed: readonly [number, number] | null = null,
): Fold[] {
  const chosen = detail.tags.filter(({ name, start, end }) => end - start >= 2 && folded.includes(name))
  const padding = isPaddingOpen ? [] : longPadding(detail).filter((run) => revealed === null || !holds(run, revealed))
  const stretches = [...chosen, ...padding].sort((a, b) => a.start - b.start)
  const folds: Fold[] = []
  let reached = 0
  for (const { name, start, end } of stretches) {
    if (start < reached) continue
    folds.push({ name, start, end })
    reached = end
  }
  return folds
}

/** Runs of padding that are folded unless somebody wants to see them. Padding that carries loss is `trained` and never among them. */
export function longPadding({ states }: Pick<TrajectoryDetail, 'states'>): (Fold & { readonly name: 'padding' })[] {
  const runs: (Fold & { readonly name: 'padding' })[] = []
  for (let start = states.indexOf(TokenState.padding); start >= 0; ) {
    let end = start + 1
    while (states[end] === TokenState.padding) end++
    if (end - start >= SHORTEST_PADDING) runs.push({ name: 'padding', start, end })
    start = states.indexOf(TokenState.padding, end)
  }
  return runs
}

/** Whether a span of tokens lies in padding that would be folded: nothing of it could be seen there. */
export function isInPadding(detail: Pick<TrajectoryDetail, 'states'>, span: readonly [number, number]): boolean {
  return longPadding(detail).some((run) => holds(run, span))
}

function holds(run: Fold, [start, end]: readonly [number, number]): boolean {
  return start >= run.start && end <= run.end
}

/** Tags of a rollout with how often each is there, most frequent first. */
export function tagCounts({
  tags,
}: Pick<TrajectoryDetail, 'tags'>): { readonly name: TagName; readonly count: number }[] {
  const counts = new Map<TagName, number>()
  for (const { name } of tags) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count)
}
