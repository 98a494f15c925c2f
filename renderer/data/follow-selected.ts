import { ask } from '../engine/engine.ts'
import { useSelection } from '../state/selection.ts'
import { refreshDetails } from './details.ts'
import { forgetRows, knownRow } from './rows.ts'

/** What was selected last, and the record that it is of. */
let selected: { readonly rollout: number; readonly key: string } | null = null

/** Rollouts that come to one file move those of the files after it: what is selected is found again by its content. */
export async function followSelected(): Promise<void> {
  const { rollout } = useSelection.getState()
  const facts = rollout === null ? undefined : knownRow(rollout)?.facts
  if (rollout !== null && facts !== undefined) selected = { rollout, key: `${facts.recordHash}.${facts.place.part}` }
  forgetRows()
  refreshDetails()
  if (selected === null || selected.rollout !== rollout) return
  const { key } = selected
  const { indices } = await ask('findRecords', { keys: [key] })
  const [moved] = indices
  // A person may have gone on meanwhile.
  if (moved === undefined || indices.includes(rollout) || useSelection.getState().rollout !== rollout) return
  selected = { rollout: moved, key }
  useSelection.setState({ rollout: moved })
}
