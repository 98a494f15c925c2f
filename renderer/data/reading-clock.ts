import type { Progress } from '../../shared/session/protocol.ts'

/** Nothing is known yet of what is read once more. */
export const READ_ANEW = {
  hashing: false,
  progress: null,
  rate: null,
  rollouts: 0,
  judgingStopped: false,
  readingFailed: null,
}

/** While a dump is read, tables are asked again at most this often (milliseconds). */
const REFRESH_EVERY = 1000
/** … and so seldom that telling takes at most one part in this many of the time. */
const REFRESH_SHARE = 5
/** Weight of the newest sample in the smoothed rate. */
const RATE_SMOOTHING = 0.3

let clock = { at: 0, bytes: 0, refreshed: 0, pause: REFRESH_EVERY, shown: '' }

/** Another reading begins now. */
export function startClock(): void {
  clock = { at: performance.now(), bytes: 0, refreshed: 0, pause: REFRESH_EVERY, shown: '' }
}

/** Whether what is on screen is to be asked again; if so, not once more until `endRefresh`. */
export function beginRefresh(progress: Progress, now: number): boolean {
  const isFirst = clock.refreshed === 0
  if (!isFirst && now - clock.refreshed < clock.pause) return false
  // A followed run says that it is there even while nothing is written to it.
  const shown = `${progress.bytesRead} ${progress.trajectories} ${progress.skipped}`
  if (!isFirst && progress.following && shown === clock.shown) return false
  clock = { ...clock, refreshed: now, pause: Number.POSITIVE_INFINITY, shown }
  return true
}

/** It has been asked again, from `began` on (milliseconds of `performance.now`). */
export function endRefresh(began: number): void {
  const now = performance.now()
  // The engine concludes from everything that was read: of a large dump that takes longer each time, and is done more seldom.
  clock = { ...clock, refreshed: now, pause: Math.max(REFRESH_EVERY, REFRESH_SHARE * (now - began)) }
}

/** Bytes a second, smoothed with those `before`. */
export function rateOf(progress: Progress, before: number | null): number | null {
  const now = performance.now()
  const elapsed = (now - clock.at) / 1000
  if (elapsed < 0.1) return before
  const rate = Math.max(0, (progress.bytesRead - clock.bytes) / elapsed)
  clock = { ...clock, at: now, bytes: progress.bytesRead }
  return before === null ? rate : before + RATE_SMOOTHING * (rate - before)
}
