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
  const { end } = window
  let pos = window.pos
  let count = 0
  let integers = true
  for (;;) {
    if (pos >= end || pos - window.pos > MAX_RUN_BYTES) {
      if (pos >= end && pos - window.pos < MAX_RUN_BYTES) window.need(MAX_RUN_BYTES, true)
      return false
    }
    const size = SIZES[window.peek(pos - window.pos)] ?? 0
    if (size === 0) {
      if (window.peek(pos - window.pos) !== OP.APPENDS) return false
      window.pos = pos + 1
      run.count = count
      run.integers = integers
      return true
    }
    if (pos + size > end) {
      window.need(MAX_RUN_BYTES, true)
      return false
    }
    if (count === run.values.length) {
      const grown = new Float64Array(2 * count)
      grown.set(run.values)
      run.values = grown
    }
    switch (size) {
      case 2:
        run.values[count++] = window.peek(pos - window.pos + 1)
        break
      case 3:
        run.values[count++] = window.uint16At(pos + 1)
        break
      case 5:
        run.values[count++] = window.int32At(pos + 1)
        break
      default:
        run.values[count++] = window.doubleAt(pos + 1)
        integers = false
    }
    pos += size
  }
}

const SIZES: Readonly<Record<number, number>> = { [OP.BININT1]: 2, [OP.BININT2]: 3, [OP.BININT]: 5, [OP.BINFLOAT]: 9 }
