import { knownDetail } from '../data/details.ts'
import { toggleFlag } from '../data/flags.ts'
import { list } from '../data/list.ts'
import { factsOf, knownRow } from '../data/rows.ts'
import { selectRollout, useSelection } from '../state/selection.ts'
import { say } from '../state/view.ts'

export function flagSelected(): void {
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
  const facts = knownRow(rollout)?.facts ?? knownDetail(rollout)?.facts ?? (await factsOf(rollout))
  if (facts !== null) await toggleFlag(rollout, facts)
}
