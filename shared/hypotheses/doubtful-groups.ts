import { untoldGroups } from '../checks/groups/untold-questions.ts'
import { count, counted } from '../model/number-text.ts'
import { atOnce, type Steps } from '../model/steps.ts'
import type { HypothesisInput } from './hypothesis.ts'
import { failingCheck } from './verdict.ts'

/** Asks every rollout for its prompt, and remembers it until a verdict asks. */
export function askingForGroups({ dump }: HypothesisInput): Steps<unknown> {
  return untoldGroups(dump)
}

/**
 * What would have to be known before a spread within groups speaks against anything, in words; null where groups are those of one question each, as far as
 * the dump shows. Rewards of several questions differ for the questions' sake: a group of several may have contrast where none of its questions has.
 */
export function doubtOfGroups(input: HypothesisInput): string | null {
  const untold = atOnce(untoldGroups(input.dump))
  if (untold !== null)
    return `whether each group is of one question: ${untold}, and neither --group-size nor expected answers tell (A05)`
  const mixed = failingCheck(input, 'A05')
  if (mixed === null || mixed.affected * 2 < mixed.checked) return null
  return `groups that hold the right rollouts: ${count(mixed.affected)} of ${counted(mixed.checked, 'group')} do not (A05)`
}
