import fc from 'fast-check'
import { test } from 'vitest'
import { query } from './query-properties.ts'

/** Inputs; the seed is printed by fast-check where one fails. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 10_000)

test('whatever is typed is read, or refused under its columns', () => fc.assert(query, { numRuns: RUNS }))
