/**
 * Work that may be left alone between its steps: each `yield` says what share of it is done, from 0 to 1. What it looks at must not
 * change meanwhile.
 */
export type Steps<Result> = Generator<number, Result, void>

/** A step may take as long, in milliseconds, before others have their turn. */
const TURN = 24

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

/**
 * Does the work bit by bit, so that the thread answers others in between. Rejects with the signal's reason.
 *
 * @param tell hears what share is done, whenever others have had their turn
 */
export async function inSteps<Result>(
  work: Steps<Result>,
  { signal, tell }: { readonly signal?: AbortSignal; readonly tell?: (share: number) => void } = {},
): Promise<Result> {
  let turn = Date.now()
  for (;;) {
    signal?.throwIfAborted()
    const { done, value } = work.next()
    if (done) return value
    if (Date.now() - turn < TURN) continue
    tell?.(value)
    await new Promise((resolve) => setTimeout(resolve, 0))
    turn = Date.now()
  }
}
