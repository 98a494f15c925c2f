import { OP } from './opcodes.ts'
import type { Window } from './window.ts'

/** What `scanNumberRun` found; `values` is used again by the next run. */
export interface NumberRun {
  values: Float64Array
  count: number
  /** Whether each is an integer of 32 bits. */
  integers: boolean
}

/** Longer runs than Python's own picklers write (1000 numbers of at most 9 bytes) are read one by one. */
const MAX_RUN_BYTES = 1 << 16

/**
 * The numbers of a list, when nothing but numbers stands between the window's position and the APPENDS that takes them; then moves on
 * behind it. Else does nothing.
 */
export function scanNumberRun(window: Window, run: NumberRun): boolean {
  const { bytes, view } = window
  const start = window.pos
  const end = Math.min(bytes.length, start + MAX_RUN_BYTES)
  let { values } = run
  let pos = start
  let count = 0
  let integers = true
  // An operation and its number take 9 bytes at most.
  while (pos + 9 <= end) {
    if (count === values.length) {
      values = new Float64Array(2 * count)
      values.set(run.values)
      run.values = values
    }
    switch (bytes[pos]) {
      case OP.BININT1:
        values[count++] = bytes[pos + 1] as number
        pos += 2
        continue
      case OP.BININT2:
        values[count++] = (bytes[pos + 1] as number) | ((bytes[pos + 2] as number) << 8)
        pos += 3
        continue
      case OP.BININT:
        values[count++] = view.getInt32(pos + 1, true)
        pos += 5
        continue
      case OP.BINFLOAT:
        values[count++] = view.getFloat64(pos + 1, false)
        integers = false
        pos += 9
        continue
      case OP.APPENDS:
        window.pos = pos + 1
        run.count = count
        run.integers = integers
        return true
      default:
        return false
    }
  }
  // Not all of the run may be in the window; at the end of the file it is read number by number.
  if (end < start + MAX_RUN_BYTES) window.need(MAX_RUN_BYTES, true)
  return false
}
