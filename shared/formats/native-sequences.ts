import type { Trajectory } from '../model/trajectory.ts'
import { isOneRollout } from './one-rollout.ts'
import { sequenceOf, spansOfDocuments } from './packed-rows.ts'

/**
 * The sequences of a packed row, by its `sequence_ids`: numbers that rise from one sequence to the next. Negative numbers behind the last of them, and
 * zeros behind greater ones, are padding. A row stays whole where nothing tells its sequences apart for sure: the numbers do not rise, an array is too
 * short, the row declares its padding or has a conversation or a score of its own, or the positions run on, which is to be seen in the row (S01).
 */
export function nativeSequences(row: Trajectory): Trajectory[] {
  const documents = row.sequenceIds === null || isOneRollout(row) ? null : risingFromOne(row.sequenceIds)
  // Where an array is shorter than the row, what it does not reach has no number that was written (S03).
  const isShort = row.arrays.some(({ length, expected }) => length !== expected)
  if (documents === null || isShort || row.padding !== null) return [row]
  const spans = spansOfDocuments(documents)
  if (spans.length === 1 || spans.some(({ start }) => runsOn(row, start))) return [row]
  return spans.map((span, part) => ({
    ...sequenceOf(row, span),
    // Pads that have the number of their sequence are found by their id, as in a row by itself.
    padding: span.padding > 0 ? { left: 0, right: span.padding } : null,
    id: part === 0 ? row.id : `${row.id}.${part}`,
    place: { ...row.place, part },
  }))
}

/** The same numbers from 1 on, with 0 for the padding behind them, as packers count that use 0 for it alone; null where they do not rise. */
function risingFromOne(numbers: Int32Array): Int32Array | null {
  let real = numbers.length
  while (real > 0 && (numbers[real - 1] as number) < 0) real--
  if (numbers.some((number) => number > 0)) while (real > 0 && numbers[real - 1] === 0) real--
  const documents = new Int32Array(numbers.length)
  let last = 0
  for (let i = 0; i < real; i++) {
    const number = numbers[i] as number
    if (number < last) return null
    documents[i] = number + 1
    last = number
  }
  return documents
}

function runsOn({ positionIds }: Trajectory, at: number): boolean {
  return at > 0 && positionIds !== null && positionIds[at] === (positionIds[at - 1] as number) + 1
}
