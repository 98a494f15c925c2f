import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import type { MarkRequests } from '../requests/marks.ts'

type Located = Pick<TrajectoryFacts, 'recordHash' | 'place'>

/** Every place at which one of these records stands. One walk over the facts, whatever the number of keys. */
export function findRecords(
  facts: readonly Located[],
  { keys }: MarkRequests['findRecords']['input'],
): MarkRequests['findRecords']['output'] {
  const positions = new Map(keys.map((key, position) => [key, position]))
  // Most rollouts carry no mark: their hash alone says so, and no key is put together for them.
  const hashes = new Set(keys.map((key) => key.slice(0, key.lastIndexOf('.'))))
  const found: number[] = []
  const of: number[] = []
  for (let index = 0; index < facts.length; index++) {
    const { recordHash, place } = facts[index] as Located
    if (!hashes.has(recordHash)) continue
    const position = positions.get(`${recordHash}.${place.part}`)
    if (position === undefined) continue
    found.push(index)
    of.push(position)
  }
  return { indices: Int32Array.from(found), positions: Int32Array.from(of) }
}

/** What marks on these rollouts would hang on. */
export function recordsOf(
  facts: readonly (Located & Pick<TrajectoryFacts, 'id'>)[],
  { indices }: MarkRequests['recordsOf']['input'],
): MarkRequests['recordsOf']['output'] {
  const records = Array.from(indices).flatMap((index) => {
    const of = facts[index]
    return of === undefined ? [] : [{ recordHash: of.recordHash, part: of.place.part, id: of.id }]
  })
  return { records }
}
