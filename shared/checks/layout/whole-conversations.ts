import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'
import { isForged } from '../template/forged-control.ts'
import { haveSameContent } from '../texts/system-text.ts'

const NONE: readonly Turn[] = []
const found = new OfLast<TrajectoryView, readonly Turn[]>()

/**
 * Where further conversations begin in a row, by its turns alone: the system turn is there again behind an answer and before a question, at every question
 * that follows the first and nowhere else, while replies of tools go on without it. Whoever renders messages one by one writes it before a reply as well
 * (T09). An answer that a limit cut ends one where a begin-of-sequence token stands behind it. Messages or the length of a prompt are those of one
 * conversation; a question without a system turn before it may be another message of one, too.
 */
export function wholeConversations(view: TrajectoryView): readonly Turn[] {
  let turns = found.get(view)
  if (turns === undefined) found.set(view, (turns = findConversations(view)))
  return turns
}

function findConversations(view: TrajectoryView): readonly Turn[] {
  const { ids, segmentation, trajectory } = view
  const turns = segmentation?.turns ?? NONE
  const [first, question] = turns
  if (first?.kind !== 'system' || first.header !== 'present' || question?.kind !== 'user') return NONE
  if (trajectory.messages !== null || trajectory.promptLength !== null) return NONE
  const further: Turn[] = []
  let replies = 0
  for (let at = 2; at < turns.length; at++) {
    const turn = turns[at] as Turn
    const before = turns[at - 1] as Turn
    if (turn.kind === 'system') {
      // A rollout may end with a call: where replies have turns of a tool, a question answers none.
      const isEnded =
        before.kind === 'assistant' && (before.endToken >= 0 || segmentation?.bos.includes(turn.start - 1) === true)
      if (!isEnded || turns[at + 1]?.kind !== 'user' || !haveSameContent(ids, first, turn)) return NONE
      further.push(turn)
    } else if (turn.kind === 'tool') replies++
    else if (turn.kind !== 'assistant' && before.kind !== 'system') return NONE
  }
  return replies > 0 && !further.some((turn) => isForged(view, turn)) ? further : NONE
}
