import { knownDetail } from '../data/details.ts'
import { MOST_FLAGGED_AT_ONCE, toggleFlag, toggleFlags } from '../data/flags.ts'
import { list } from '../data/list.ts'
import { factsOf, knownRow } from '../data/rows.ts'
import { useFiles } from '../state/files.ts'
import { selectRollout, useSelection } from '../state/selection.ts'
import { say, useView } from '../state/view.ts'
import { count } from '../text/numbers.ts'
import { rolloutAtCursor } from './at-cursor.ts'

/** Whether the rollout on screen is one of the second run, which is only read; says what to do then. */
export function isOnlyRead(): boolean {
  const isSecond = useView.getState().view === 'rollout' && useSelection.getState().second !== null
  if (isSecond) say('Flags, labels and notes are left on the open run: swap the runs to leave some here')
  return isSecond
}

export function flagSelected(): void {
  if (isOnlyRead()) return
  const rollout = rolloutAtCursor()
  if (rollout === undefined) {
    say('There is no rollout to flag')
    return
  }
  selectRollout(rollout)
  void flag(rollout)
}

/** Facts may still be on their way when the key is pressed; the flag is not lost for that. */
async function flag(rollout: number): Promise<void> {
  const facts =
    knownRow(rollout)?.facts ?? knownDetail({ run: 'open', index: rollout })?.facts ?? (await factsOf(rollout))
  if (facts !== null) await toggleFlag(rollout, facts)
}

/** Flags what the table lists, or takes the flags off where all of it has them. */
export function flagListed(): void {
  const indices = list.get()
  const { length } = indices
  if (useFiles.getState().following)
    // What is added to one file moves the rollouts of those behind it: another rollout may stand where the listed one stood.
    say('Rollouts move while a run is followed: end following, and all that the table lists can be flagged')
  else if (length === 0) say('There is no rollout to flag')
  else if (length > MOST_FLAGGED_AT_ONCE)
    say(
      `The table lists ${count(length)} rollouts, and ${count(MOST_FLAGGED_AT_ONCE)} can be flagged at once: ask for fewer, or export what it lists`,
    )
  else void toggleFlags(indices)
}
