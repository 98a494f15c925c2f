/**
 * Work that may be left alone between its steps: each `yield` says what share of it is done, from 0 to 1. What it looks at must not
 * change meanwhile.
 */
export type Steps<Result> = Generator<number, Result, void>

/** A step may take as long, in milliseconds, before others have their turn. */
const TURN = 24
/** How often somebody is told how far it is, in milliseconds. */
const TOLD_EVERY = 100

/** Does the work without a pause. */
export function atOnce<Result>(work: Steps<Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** A part of some work, which lies between these shares of the whole. */
export function* within<Result>(from: number, to: number, work: Steps<Result>): Steps<Result> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    yield from + (to - from) * value
  }
}

/** So many rows are gone through in a step: a few milliseconds, whatever is done with each, and be they groups of many rollouts. */
const ROWS_OF_A_STEP = 128
/** Rows that are put in order at once, and from which on several such are merged. */
const ROWS_OF_A_RUN = 512

/** Goes through rows, however many, in short steps. */
export function* forEachOf<Row>(rows: readonly Row[], visit: (row: Row, index: number) => void): Steps<void> {
  for (let i = 0; i < rows.length; i++) {
    visit(rows[i] as Row, i)
    if (i % ROWS_OF_A_STEP === ROWS_OF_A_STEP - 1) yield i / rows.length
  }
}

/** The rows for which something holds. */
export function* filtered<Row>(rows: readonly Row[], fits: (row: Row) => boolean): Steps<Row[]> {
  const fitting: Row[] = []
  yield* forEachOf(rows, (row) => {
    if (fits(row)) fitting.push(row)
  })
  return fitting
}

/** Rows in order, those that compare as equal in the order in which they came. */
export function* sorted<Row>(rows: readonly Row[], compare: (a: Row, b: Row) => number): Steps<Row[]> {
  let from: Row[] = []
  for (let start = 0; start < rows.length; start += ROWS_OF_A_RUN) {
    for (const row of rows.slice(start, start + ROWS_OF_A_RUN).sort(compare)) from.push(row)
    yield (0.5 * start) / rows.length
  }
  for (let length = ROWS_OF_A_RUN; length < from.length; length *= 2) {
    const to: Row[] = []
    for (let start = 0; start < from.length; start += 2 * length) {
      const [middle, end] = [Math.min(start + length, from.length), Math.min(start + 2 * length, from.length)]
      let [left, right] = [start, middle]
      while (left < middle || right < end) {
        const isLeft = right === end || (left < middle && compare(from[left] as Row, from[right] as Row) <= 0)
        to.push(from[isLeft ? left++ : right++] as Row)
        if (to.length % (8 * ROWS_OF_A_RUN) === 0) yield 0.5 + (0.5 * length) / from.length
      }
    }
    from = to
  }
  return from
}

/**
 * Does the work bit by bit, so that the thread answers others in between. Rejects with the signal's reason.
 *
 * @param tell hears what share is done, some ten times a second
 */
export async function inSteps<Result>(
  work: Steps<Result>,
  { signal, tell }: { readonly signal?: AbortSignal; readonly tell?: (share: number) => void } = {},
): Promise<Result> {
  let turn = Date.now()
  let told = 0
  for (;;) {
    signal?.throwIfAborted()
    const { done, value } = work.next()
    if (done) return value
    const now = Date.now()
    if (now - turn < TURN) continue
    if (now - told >= TOLD_EVERY) {
      told = now
      tell?.(value)
    }
    await othersTurn()
    turn = Date.now()
  }
}

/** Resolves once what waits for this thread has been done. In browsers a timer that follows another waits for 4 ms, whatever it is set to. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}
