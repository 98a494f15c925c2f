import fc from 'fast-check'
import { describe, test } from 'vitest'
import { editedAndRead, randomBytes, readAndWritten } from './notebook-properties.ts'

/** Inputs; the seed is printed by fast-check where one fails. A folder of pages is a hundred times a query. */
const RUNS = Math.ceil(Number(process.env.FUZZ_RUNS ?? 10_000) / 10)

describe('a damaged folder', () => {
  test('is read without an error and goes out byte for byte', () => fc.assert(readAndWritten, { numRuns: RUNS }))

  test('takes edits without an error, and what was written reads back without one', () =>
    fc.assert(editedAndRead, { numRuns: RUNS }))

  test('of random bytes throws nothing', () => fc.assert(randomBytes, { numRuns: RUNS }))
})
