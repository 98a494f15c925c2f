import { rerender } from '../../tokens/template/rerender.ts'
import type { TrajectoryView } from '../check.ts'
import { gapOf } from '../logprobs/gap.ts'
import { pairedTurns } from './paired-turns.ts'

/**
 * Whether the messages before a turn do not render to the turns before it in the ids, for the first turn that the trainer finds less
 * likely than the sampler did; null where there is none after the first turn. Only then is anything rendered.
 */
export function rendersOtherwise(view: TrajectoryView): boolean | null {
  const { facts, tokenizer, trajectory } = view
  if (facts.assistantTurns < 2 || tokenizer === null || trajectory.messages === null) return null
  const first = gapOf(view)?.affectedTurns[0]?.turn ?? null
  if (first === null) return null
  const pairs = pairedTurns(view)
  const at = pairs.findIndex(({ turn }) => turn.index === first.index)
  const pair = pairs[at]
  if (pair === undefined || at === 0) return null
  const rendered = rerender(tokenizer, trajectory.messages.slice(0, pair.index), trajectory.tools)
  if (rendered === null) return null
  return pairs.slice(0, at).some(({ turn }) => {
    const written = view.text({ start: turn.contentStart, end: turn.contentEnd })
    return written !== '' && !rendered.includes(written)
  })
}
