import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { flagKey, useFlags } from '../state/flags.ts'
import { say } from '../state/view.ts'
import { database, type InspectorDatabase } from './database.ts'
import { scanRows } from './rows.ts'

/** Reads what was flagged before. Without storage (a private window) flags live until the page is closed, and that is said. */
export async function loadFlags(from: InspectorDatabase = database): Promise<void> {
  try {
    const kept = await from.flags.toArray()
    useFlags.setState({ flagged: new Set(kept.map((flag) => `${flag.recordHash}.${flag.part}`)) })
  } catch (error) {
    addProblem(`Flags cannot be kept in this window: ${sentenceOf(error)}. They last until it is closed.`)
  }
}

/** Flags or unflags a rollout and saves it at once. */
export async function toggleFlag(
  index: number,
  facts: TrajectoryFacts,
  into: InspectorDatabase = database,
): Promise<void> {
  const key = flagKey(facts)
  const { flagged, here } = useFlags.getState()
  const off = flagged.has(key)
  const next = new Set(flagged)
  if (off) next.delete(key)
  else next.add(key)
  useFlags.setState({
    flagged: next,
    here: off ? here.filter((other) => other !== index) : [...here, index].sort((a, b) => a - b),
  })
  say(off ? `Flag taken off rollout ${facts.id}` : `Rollout ${facts.id} flagged`)
  try {
    const id: [string, number] = [facts.recordHash, facts.place.part]
    if (off) await into.flags.delete(id)
    else {
      await into.flags.put({
        recordHash: facts.recordHash,
        part: facts.place.part,
        dumpHash: useFiles.getState().dumpHash ?? '',
        trajectory: facts.id,
        flaggedAt: new Date().toISOString(),
      })
    }
  } catch (error) {
    addProblem(`The flag could not be saved: ${sentenceOf(error)}. It lasts until this window is closed.`)
  }
}

/** Finds the flagged rollouts among those of the open dump. */
export async function findFlagsHere(total: number): Promise<void> {
  const { flagged } = useFlags.getState()
  if (flagged.size === 0) {
    useFlags.setState({ here: [] })
    return
  }
  const here: number[] = []
  try {
    await scanRows(total, (row) => {
      if (flagged.has(flagKey(row.facts))) here.push(row.index)
      return true
    })
    useFlags.setState({ here })
  } catch (error) {
    if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
  }
}
