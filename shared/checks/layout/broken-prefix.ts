import { PREFIX_BROKEN } from '../../formats/model-calls.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { otherSplits } from '../template/splits.ts'

/** What is said of a prompt that leaves the ids of the calls before it and spells their text. */
const SAME_TEXT =
  ', with the same text in another split; joined to one row, its turns would stand behind other ids than they were sampled behind, which is T02'

/** Where the prompt left what the calls before it hold, and whether it spells the same; null where nothing tells. */
export function brokenPrefix(
  { issues }: Trajectory,
  tokens: PreparedTokens | null,
): Pick<TrajectoryFacts, 'prefixBroken' | 'splitsPrefix'> | null {
  const broken = issues.find(({ code }) => code === PREFIX_BROKEN)
  if (broken === undefined) return null
  const { message, leaves } = broken
  if (leaves === undefined || tokens === null || tokens.tokenizer === null) return { prefixBroken: message }
  const here = tokens.ids.subarray(leaves.at)
  const isSameText = here.length > 0 && otherSplits(tokens.tokenizer.table, here, leaves.ids) !== null
  return isSameText ? { prefixBroken: message, splitsPrefix: true } : { prefixBroken: message }
}

/** Where its prompt left what the calls before it hold, in words; null where nothing tells. */
export function saysBroken({ prefixBroken, splitsPrefix }: TrajectoryFacts): string | null {
  if (prefixBroken === undefined) return null
  return splitsPrefix === true ? `${prefixBroken}${SAME_TEXT}` : prefixBroken
}
