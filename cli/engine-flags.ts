import { setFlagsFromString } from 'node:v8'

/** Bytes of code of other functions that V8 puts into one that it optimizes; it allows 920 by itself, and with none at all gains no more than with this. */
const MOST_INLINED = 200

/** Garbage beside a hundred of what is kept, before V8 collects it; by itself it lets there be three times as much where the machine has memory. */
const GARBAGE_PERCENT = 100

/** The first and last major version of V8 that was seen to take the flags (Node 20, 22, 24). One that does not know them says so on standard error. */
const KNOWN_IN = [11, 13] as const

/** The flags for a version of V8 (`process.versions.v8`); none where nothing is known of it. */
export function engineFlags(v8: string): readonly string[] {
  const major = Number.parseInt(v8, 10)
  if (!(major >= KNOWN_IN[0] && major <= KNOWN_IN[1])) return []
  return [`--max-inlined-bytecode-size-cumulative=${MOST_INLINED}`, `--heap-growing-percent=${GARBAGE_PERCENT}`]
}

/**
 * A third of `inspect` of 256 MB is V8's optimizing compiler, and most of what it works on are functions that it has put into others: with a smaller budget
 * for that the whole takes a tenth less processor time. And of what 2 GB of short rollouts take beside those of 200 MB a third is garbage that may wait
 * (docs/performance.md). Both change how long code takes and how much memory it has, never what it does. To be called before anything is optimized: V8
 * does not promise that flags can be changed later.
 */
export function setEngineFlags(): void {
  for (const flag of engineFlags(process.versions.v8)) setFlagsFromString(flag)
}
