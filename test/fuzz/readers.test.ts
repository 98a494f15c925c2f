import { afterAll, test } from 'vitest'
import { Confined } from './confined.ts'
import { CRASHES } from './crashes.ts'
import { drive } from './drive.ts'
import { TARGETS } from './targets.ts'

/** Inputs of each kind. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 10_000)
const SEED = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))

/** A folder of pages takes a hundred times what a query does, and so does a report, and buffers of a gigabyte. */
const LONG = new Set(['dump', 'arrow', 'parquet', 'folder', 'edited-folder', 'random-page', 'repeated'])

console.log(`damaged inputs: FUZZ_SEED=${SEED} FUZZ_RUNS=${RUNS}`)

const confined = new Confined()
afterAll(() => confined.end())

test.each(TARGETS)('whatever is in it, it is read or refused in a sentence: $title', { timeout: 3_600_000 }, (target) =>
  drive(target, { numRuns: Math.ceil(LONG.has(target.id) ? RUNS / 10 : RUNS), seed: SEED, keepIn: CRASHES, confined }),
)
