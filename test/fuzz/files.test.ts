import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAMAGED_FILE, damaged, readsOrSays, SEEDS } from './damage.ts'

/** Inputs; the seed and the path to the smallest one are printed by fast-check where one fails. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 10_000)

test('a damaged file of any container and format is read, or says why not, and loses no record unsaid', async () => {
  expect(SEEDS.length).toBeGreaterThan(50)
  await fc.assert(
    fc.asyncProperty(DAMAGED_FILE, async ({ seed, damages }) => {
      await readsOrSays(damaged(SEEDS.find(({ name }) => name === seed)!.bytes, damages))
    }),
    { numRuns: RUNS },
  )
})
