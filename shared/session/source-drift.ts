import type { ReadResult } from '../formats/format.ts'

/** What of records is not as their format has it, in words, with how many records it stands in. */
export type Drift = readonly (readonly [what: string, records: number])[]

/** Fields that the format does not know, and single values that are not what their field holds. */
export function driftOf({ unknownFields, trajectories }: Pick<ReadResult, 'unknownFields' | 'trajectories'>): Drift {
  const records = new Map<string, Set<number>>()
  for (const { issues, place } of trajectories) {
    for (const { code, message } of issues) {
      if (code !== 'bad-value') continue
      const known = records.get(message)
      if (known === undefined) records.set(message, new Set([place.record]))
      else known.add(place.record)
    }
  }
  return [
    ...[...unknownFields].map(([field, count]) => [`unknown field \`${field}\``, count] as const),
    ...[...records].map(([message, { size }]) => [message, size] as const),
  ]
}
