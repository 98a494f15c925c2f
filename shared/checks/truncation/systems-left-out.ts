import { count, counted } from '../../model/number-text.ts'
import { roleKind } from '../../model/roles.ts'
import { filtered, type Steps } from '../../model/steps.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/**
 * The ids begin with a whole turn and lack the system message of the rollout's own messages, of which no word is in the prompt: either messages were dropped
 * from the left (C01) or whoever rendered them left the first one out (T09), and both look the same.
 */
export function lacksSystem({ systemReplaced, firstRole }: TrajectoryFacts): boolean {
  return systemReplaced === true && typeof firstRole === 'string' && roleKind(firstRole) !== 'system'
}

/** C01: why that no rollout was found to be cut on the left proves nothing; null where it does. */
export function* untoldSystems(facts: readonly TrajectoryFacts[]): Steps<string | null> {
  const { length } = yield* filtered(facts, lacksSystem)
  if (length === 0) return null
  return `in ${count(length)} of ${counted(facts.length, 'rollout')} the ids hold nothing of the system message that the messages have, and begin with another turn (T09): nothing tells whether it was cut away or never rendered`
}
