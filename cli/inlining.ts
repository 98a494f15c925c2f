import { setFlagsFromString } from 'node:v8'

/** Bytes of code of other functions that V8 puts into one that it optimizes; it allows 920 by itself, and with none at all gains no more than with this. */
const MOST_INLINED = 200

/** The first and last major version of V8 that was seen to take the flag (Node 20, 22, 24). One that does not know it says so on standard error. */
const KNOWN_IN = [11, 13] as const

/** The flag for a version of V8 (`process.versions.v8`); null where nothing is known of it. */
export function inliningFlag(v8: string): string | null {
  const major = Number.parseInt(v8, 10)
  return major >= KNOWN_IN[0] && major <= KNOWN_IN[1] ? `--max-inlined-bytecode-size-cumulative=${MOST_INLINED}` : null
}

/**
 * A third of `inspect` of 256 MB is V8's optimizing compiler, in each thread for itself, and most of what it works on are functions that it has put into
 * others. With a smaller budget for that the whole takes a tenth less processor time, and 1 GB no more than before (docs/performance.md). It changes how
 * long code takes, never what it does. To be called before anything is optimized: V8 does not promise that flags can be changed later.
 */
export function inlineLess(): void {
  const flag = inliningFlag(process.versions.v8)
  if (flag !== null) setFlagsFromString(flag)
}
