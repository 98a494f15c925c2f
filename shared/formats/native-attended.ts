import type { JsonValue } from '../containers/container.ts'
import { isObject, numbersOf } from './fields.ts'
import { isPaddingMask } from './native-masks.ts'
import { ID_PAIRS } from './native-tokens.ts'

/** Whether the `prompt_mask` of one of these records leaves out the padding of its prompt, and nothing else. */
export function attendsPrompts(records: readonly JsonValue[]): boolean {
  return records.some((record) => {
    if (!isObject(record) || record.prompt_mask === undefined) return false
    const pair = ID_PAIRS.find(({ prompt }) => record[prompt] !== undefined)
    const ids = pair === undefined ? null : numbersOf(record[pair.prompt])
    return ids !== null && isPaddingMask(record.prompt_mask, Int32Array.from(ids))
  })
}
