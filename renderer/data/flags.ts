import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { addProblem, useFiles } from '../state/files.ts'
import { markKey, useMarks } from '../state/marks.ts'
import { during } from '../state/under-way.ts'
import { count, counted } from '../text/numbers.ts'
import { database, type Flag, type InspectorDatabase } from './database.ts'
import type { MarkChange } from './mark-changes.ts'
import { changeMarks, standsHere } from './marks.ts'

/** The identity of what a mark is left on. */
export function markedAs(facts: Pick<TrajectoryFacts, 'recordHash' | 'place' | 'id'>) {
  return {
    recordHash: facts.recordHash,
    part: facts.place.part,
    dumpHash: useFiles.getState().dumpHash ?? '',
    trajectory: facts.id,
  }
}

/** Flags or unflags a rollout and saves it at once. */
export function toggleFlag(
  index: number,
  facts: Pick<TrajectoryFacts, 'recordHash' | 'place' | 'id'>,
  into: InspectorDatabase = database,
): Promise<void> {
  let on = true
  return changeMarks(
    `flag of rollout ${facts.id}`,
    async () => {
      on = !useMarks.getState().flagged.has(markKey(facts))
      standsHere(markKey(facts), index)
      const flag = { ...markedAs(facts), flaggedAt: new Date().toISOString() }
      return on ? [{ kind: 'flag', on, flag }] : takenOff([flag], into)
    },
    () => (on ? `Rollout ${facts.id} flagged` : `Flag taken off rollout ${facts.id}`),
    into,
  )
}

/** Flags go as they were kept, so that taking this back gives back when and in which dump they were made. */
async function takenOff(flags: readonly Flag[], from: InspectorDatabase): Promise<MarkChange[]> {
  // What storage never took is not there, and where it cannot be read it will say so when it is written.
  const kept = await from.flags.bulkGet(flags.map(({ recordHash, part }) => [recordHash, part])).catch(() => [])
  return flags.map((flag, at) => ({ kind: 'flag', on: false, flag: kept[at] ?? flag }))
}

/** Flags are for what somebody looks at or hands on; more than these an export or a view of the table holds as well. */
export const MOST_FLAGGED_AT_ONCE = 20_000

/** Flags these rollouts of the open dump, as one step that can be taken back; where all of them are flagged, takes their flags off. */
export async function toggleFlags(indices: Int32Array, into: InspectorDatabase = database): Promise<void> {
  const { dumpHash } = useFiles.getState()
  try {
    const words = `Looking up ${counted(indices.length, 'rollout')}`
    const { records } = await during(words, () => ask('recordsOf', { indices }))
    if (dumpHash !== useFiles.getState().dumpHash) return
    await flagRecords(records, into)
  } catch (error) {
    if (!(error instanceof Cancelled)) addProblem(sentenceOf(error))
  }
}

/** The same for records that are known. A record that stands in several places is one. */
export function flagRecords(
  records: readonly { readonly recordHash: string; readonly part: number; readonly id: string }[],
  into: InspectorDatabase = database,
): Promise<void> {
  const distinct = new Map(records.map((record) => [`${record.recordHash}.${record.part}`, record]))
  let said = ''
  let changes = 0
  return changeMarks(
    () => `flags of ${counted(changes, 'rollout')}`,
    async () => {
      const { flagged } = useMarks.getState()
      const without = [...distinct].filter(([key]) => !flagged.has(key))
      const on = without.length > 0
      const changed = on ? without : [...distinct]
      const others = distinct.size - changed.length
      changes = changed.length
      said = `${counted(changed.length, 'rollout')} flagged`
      if (!on) said = `Flags taken off ${counted(changed.length, 'rollout')}`
      else if (others > 0) said += `; ${others === 1 ? 'one was' : `${count(others)} were`} already`
      const flaggedAt = new Date().toISOString()
      const dumpHash = useFiles.getState().dumpHash ?? ''
      const flags = changed.map(([, { recordHash, part, id }]) => {
        return { recordHash, part, dumpHash, trajectory: id, flaggedAt }
      })
      return on ? flags.map((flag) => ({ kind: 'flag', on, flag })) : takenOff(flags, into)
    },
    () => said,
    into,
  )
}
