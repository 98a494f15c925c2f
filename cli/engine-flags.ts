import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes of code of other functions that V8 puts into one that it optimizes; it allows 920 by itself, and with none at all gains no more than with this. */
const MOST_INLINED = 200

/** Garbage beside a hundred of what is kept, before V8 collects it; by itself it lets there be three times as much where the machine has memory. */
const GARBAGE_PERCENT = 100

/** The same while a dump is judged, which makes most of its garbage of lists as long as the dump has rollouts. */
const GARBAGE_PERCENT_OF_JUDGING = 20

/** From so many rollouts on all garbage of reading is collected before they are judged, which takes some 30 ms. */
const MANY_ROLLOUTS = 50_000

/** Bytes of bytecode that a function runs before V8 asks again whether to optimize it: twice as many as by itself. */
const BUDGET_BESIDE_THREADS = 135_168

/** The major version of V8 that was seen to take that flag (Node 20); that of Node 24 has none of the name. */
const BUDGET_KNOWN_IN = 11

/** The first and last major version of V8 that was seen to take the flags (Node 20, 22, 24, 26). One that does not know them says so on standard error. */
const KNOWN_IN = [11, 14] as const

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

/** The flag that a version of V8 is given once there are other threads; null where nothing is known of it. */
export function budgetFlag(v8: string): string | null {
  return Number.parseInt(v8, 10) === BUDGET_KNOWN_IN ? `--interrupt-budget=${BUDGET_BESIDE_THREADS}` : null
}

/**
 * With a thread beside this one both of two cores are taken, and the threads of the compiler keep them from their work: it waits until a function was run
 * twice as often (docs/performance.md). A thread by itself leaves a core to the compiler, and would only run slow code for longer.
 */
export function compileLess(): void {
  const flag = budgetFlag(process.versions.v8)
  if (flag !== null) setFlagsFromString(flag)
}

/** From so many bytes on the young generation stays as small as it is. */
const LARGE_BYTES = 1 << 30

/** The flag for what is large; null where nothing is known of it. */
export function youngFlag(v8: string): string | null {
  return engineFlags(v8).length === 0 ? null : '--semi-space-growth-factor=1'
}

let staysYoung = false

/**
 * Of what more bytes take beside fewer a third is V8's young generation, which grows with what lives in it: once all of a run's files are large it may not,
 * for some percent more processor time, of which large ones have the most to spare (docs/performance.md).
 *
 * @param bytes of all that is going to be read
 */
export function growLess(bytes: number): void {
  staysYoung = bytes >= LARGE_BYTES
  setYoungFlag()
}

/** To be told when another thread runs: V8 sets the flag back as it makes that one's heap. */
export function setYoungFlag(): void {
  const flag = staysYoung ? youngFlag(process.versions.v8) : null
  if (flag !== null) setFlagsFromString(flag)
}

/** The flag while all that was read is judged; null where nothing is known of it. */
export function judgingFlag(v8: string): string | null {
  return engineFlags(v8).length === 0 ? null : `--heap-growing-percent=${GARBAGE_PERCENT_OF_JUDGING}`
}

/** Parts of judging behind each of which its garbage is collected. */
const PORTIONS = 5

/**
 * What follows keeps more memory busy than reading did: it is collected sooner. V8 asks how soon only where it collects, and by then garbage of reading and of
 * judging lie beside each other: of many rollouts that is a tenth of all memory. And of judging's own V8 lets as much lie as the young generation holds, twice
 * over. One collection of it is far less than a hundredth of the time that they took to be read.
 *
 * @returns is to be told what share is judged, from 0 to 1; null where nobody needs to know
 */
export function collectSooner(rollouts: number): ((share: number) => void) | null {
  const flag = judgingFlag(process.versions.v8)
  if (flag === null) return null
  setFlagsFromString(flag)
  if (rollouts < MANY_ROLLOUTS) return null
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') return null
  collect()
  let portion = 0
  return (share) => {
    const now = Math.floor(share * PORTIONS)
    if (now > portion) collect()
    portion = now
  }
}
