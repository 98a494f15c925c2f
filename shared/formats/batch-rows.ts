import type { JsonObject, JsonValue } from '../containers/container.ts'
import { BadRecord, isList, isListOfLists, isObject, kindOf } from './fields.ts'

/**
 * The rows of a batch that is one record: its tensors stand in it with their first axis, as lists of lists. Each is a record of its own, with
 * its row of what has one for each of them (also in dicts beside the tensors, such as metrics), and all that is said of the batch. A record
 * that is one row already is that row.
 *
 * A tensor is a rectangle. Where a list is none, or has another number of rows, the numbers in it belong to no token for certain: `BadRecord`.
 *
 * @param ids name of the tensor of token ids, which says how many rows there are
 * @param tensors names of the others that have a number for each token
 * @param isWhole these have one for every token of the ids; else they may be of the last of them, or of the response
 */
export function rowsOfBatch(
  batch: JsonObject,
  ids: string,
  tensors: readonly string[],
  { isWhole }: { readonly isWhole: boolean },
): JsonObject[] {
  const sequences = batch[ids]
  if (!isListOfLists(sequences)) return [batch]
  const rows = sequences.length
  const width = checkedWidth(ids, sequences, rows, ids)
  for (const name of tensors) {
    const value = batch[name] ?? null
    if (value === null) continue
    if (!isListOfLists(value)) {
      throw new BadRecord(
        'shape-mismatch',
        `${name} is ${isList(value) ? 'a list without rows' : kindOf(value)}, and ${ids} is a batch of ${counted(rows)} of ${width} tokens: write ${name} with as many rows, or each rollout as a record of its own`,
      )
    }
    const own = checkedWidth(name, value, rows, ids)
    if (isWhole ? own === width : own <= width) continue
    throw new BadRecord(
      'shape-mismatch',
      `${name} has ${own} numbers in a row, and ${ids} has ${width}: ${isWhole ? 'both have one for each token' : 'it can have no more'}; write both as the trainer holds them`,
    )
  }
  return Array.from({ length: rows }, (_, row) => rowOf(batch, rows, row, 0))
}

/** Numbers in each row of a tensor. */
function checkedWidth(name: string, value: readonly ArrayLike<unknown>[], rows: number, ids: string): number {
  const width = value[0]?.length ?? 0
  if (value.length !== rows) {
    throw new BadRecord(
      'shape-mismatch',
      `${name} has ${counted(value.length)}, and ${ids} has ${rows}: every tensor of a batch has one row for each rollout`,
    )
  }
  const odd = value.findIndex((row) => row.length !== width)
  if (odd >= 0) {
    throw new BadRecord(
      'shape-mismatch',
      `${name}[${odd}] has ${value[odd]?.length} numbers, and ${name}[0] has ${width}: rows of a batch are padded to one length; pad them, or write each rollout as a record of its own`,
    )
  }
  return width
}

const counted = (rows: number) => `${rows} row${rows === 1 ? '' : 's'}`

/** Dicts in which values of rows stand beside the tensors: metrics are one level down. */
const LEVELS = 1

function rowOf(value: JsonObject, rows: number, row: number, level: number): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, member]): [string, JsonValue] => {
      if (isList(member)) return [key, member.length === rows ? (member[row] as JsonValue) : member]
      return [key, isObject(member) && level < LEVELS ? rowOf(member, rows, row, level + 1) : member]
    }),
  )
}
