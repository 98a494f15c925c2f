import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { TagName } from '../../../shared/session/rollout/tags.ts'

/** The innermost tagged stretch of each token, an index into `tags`, -1 where a token is in none. */
export function innermostTags({ tags, states }: Pick<TrajectoryDetail, 'tags' | 'states'>): Int32Array {
  const innermost = new Int32Array(states.length).fill(-1)
  // What is inside another begins later, and is written over it.
  for (const [index, { start, end }] of tags.entries()) innermost.fill(index, start, end)
  return innermost
}

/** The tag by which a line is marked: the first that one of its tokens is in. */
export function tagOfLine(
  { tags }: Pick<TrajectoryDetail, 'tags'>,
  innermost: Int32Array,
  from: number,
  to: number,
): TagName | null {
  for (let token = from; token < to; token++) {
    const index = innermost[token] ?? -1
    if (index >= 0) return tags[index]?.name ?? null
  }
  return null
}
