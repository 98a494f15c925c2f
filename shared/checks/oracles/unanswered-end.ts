import { roleKind } from '../../model/roles.ts'
import type { Segmentation } from '../../model/tokens.ts'
import type { Message, Trajectory } from '../../model/trajectory.ts'
import { filledTurns } from './edges.ts'

/** What ends a rollout behind a reply or a call, where no answer of the model follows: a limit of turns, or something that the dump does not tell. */
export const UNANSWERED_ENDS = ['turn-limit', 'untold'] as const
export type UnansweredEnd = (typeof UNANSWERED_ENDS)[number]

/** Finish reasons that name a limit of turns, as verifiers, rLLM and agent frameworks spell them. */
const TURN_LIMIT =
  /^(?:reached_)?(?:max(?:imum)?_(?:assistant_|agent_)?(?:turns?|steps?|iterations?)|(?:turn|step)_limit)/i

/**
 * What ends it; null where the model's last turn calls nothing, so that it may have answered, and where it never had a turn. A limit that the model
 * meets with its answer ended nothing, as in an environment of one turn.
 */
export function unansweredEnd(
  { messages, finishReason, limits }: Pick<Trajectory, 'messages' | 'finishReason' | 'limits'>,
  segmentation: Segmentation | null,
): UnansweredEnd | null {
  const own = turnsBeforeOpenEnd(messages, segmentation)
  if (own === 0) return null
  const most = limits?.max_turns ?? 0
  const isReached = most > 0 && own >= most
  return isReached || (finishReason !== null && TURN_LIMIT.test(finishReason)) ? 'turn-limit' : 'untold'
}

/** How many turns of the model there are where the last of all is a reply or a call; 0 elsewhere. */
function turnsBeforeOpenEnd(messages: Trajectory['messages'], segmentation: Segmentation | null): number {
  const turns = segmentation === null ? [] : filledTurns(segmentation)
  const last = turns.at(-1)
  if (last !== undefined) {
    const isAnswer = last.kind === 'assistant' && !last.spans.some(({ part }) => part === 'tool_call')
    return isAnswer ? 0 : turns.filter(({ kind }) => kind === 'assistant').length
  }
  const said = messages?.at(-1)
  const isAnswer = said === undefined || (isModels(said) && (said.toolCalls?.length ?? 0) === 0)
  return isAnswer || messages === null ? 0 : messages.filter(isModels).length
}

function isModels({ role }: Message): boolean {
  return roleKind(role) === 'assistant'
}
