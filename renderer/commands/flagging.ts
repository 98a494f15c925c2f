import { knownDetail } from '../data/details.ts'
import { toggleFlag } from '../data/flags.ts'
import { list } from '../data/list.ts'
import { factsOf, knownRow } from '../data/rows.ts'
import { selectRollout, useSelection } from '../state/selection.ts'
import { say, useView } from '../state/view.ts'

/** Whether the rollout on screen is one of the second run, which is only read; says what to do then. */
export function isOnlyRead(): boolean {
  const isSecond = useView.getState().view === 'rollout' && useSelection.getState().second !== null
  if (isSecond) say('Flags, labels and notes are left on the open run: swap the runs to leave some here')
  return isSecond
}

export function flagSelected(): void {
  if (isOnlyRead()) return
  const rollout = useSelection.getState().rollout ?? list.get()[0]
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
