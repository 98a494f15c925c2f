import { count } from '../../model/number-text.ts'
import { filtered, type Steps, within } from '../../model/steps.ts'
import type { DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { isLengthStop } from '../oracles/end-reason.ts'
import { lastTokensOf } from '../truncation/open-stops.ts'

/**
 * Why it proves nothing that no end token was found to be removed, where no turn of the model in the whole dump has one: a writer that strips them strips them
 * all. A string that stops the model leaves the same last words behind, and then nothing is missing. Null where some turn has its own, or nearly all rows end alike.
 */
export function* toldOfNoEnds({ facts, settings }: DumpView): Steps<string | null> {
  const rows = yield* within(0, 0.4, filtered(facts, shouldEnd))
  const open = yield* within(
    0.4,
    0.6,
    filtered(rows, ({ noEnds }) => noEnds === true),
  )
  if (open.length < 2 || open.length < rows.length) return null
  const endings = yield* within(0.6, 1, lastTokensOf(open))
  const most = [...endings.values()].reduce((a, b) => Math.max(a, b), 0)
  if (most >= settings.thresholds['systematic-share'] * open.length) return null
  return `no turn of the model in ${count(open.length)} rollouts has an end token, and they do not end alike: nothing tells whether the tokens were removed, or the model was stopped before it wrote them`
}

/** Its turns are known, and nothing says that a limit ended the last. */
function shouldEnd({ assistantTurns, endsClosed, isTruncated, finishReason }: TrajectoryFacts): boolean {
  return assistantTurns > 0 && typeof endsClosed === 'boolean' && isTruncated !== true && !isLengthStop(finishReason)
}
