import { realEnd } from '../edit.ts'
import { decoded, type PlantedMessage, type PlantedRollout, type TurnPlace, turnsBy } from '../rollout.ts'

export const lastTurn = (rollout: PlantedRollout) => turnsBy(rollout, 'assistant').at(-1)

/** The tokens of a rollout end at `end`; padding that follows stays. */
export function endAt(rollout: PlantedRollout, end: number): void {
  rollout.tokens.splice(end, realEnd(rollout) - end)
}

/** What a message says after the model was stopped: its text as the ids hold it, without a call or a thought of its own. */
export function cutMessage(rollout: PlantedRollout, { contentStart }: TurnPlace, end: number): PlantedMessage {
  const ids = rollout.tokens.slice(contentStart, end).map(({ id }) => id)
  return { role: 'assistant', content: decoded(rollout.family, ids).replace(/\uFFFD$/, '') }
}

/** Stops the last turn in its text, some tokens before its end. Null where it has no text that long. */
export function stopLastTurn(rollout: PlantedRollout, tokens = 6): number | null {
  const turn = lastTurn(rollout)
  if (turn === undefined || turn.endToken < 0 || turn.contentEnd - turn.contentStart < tokens * 3) return null
  const end = turn.contentEnd - tokens
  const message = cutMessage(rollout, turn, end)
  endAt(rollout, end)
  const at = rollout.messages.findLastIndex(({ role }) => role === 'assistant')
  rollout.messages[at] = message
  return end
}

export function flagged(rollout: PlantedRollout, truncated: boolean): void {
  rollout.finishReason = 'length'
  rollout.truncated = truncated
}
