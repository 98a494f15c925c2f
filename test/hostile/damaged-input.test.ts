import { afterAll, expect, test } from 'vitest'
import { Confined } from '../fuzz/confined.ts'
import { SEEDS } from '../fuzz/damage.ts'
import { drive } from '../fuzz/drive.ts'
import { TARGETS } from '../fuzz/targets.ts'

// The same inputs every time; `npm run fuzz` has new ones, and many more.
const SEED = 20_261

const INPUTS: Readonly<Record<string, number>> = {
  file: 1000,
  line: 500,
  dump: 150,
  arrow: 300,
  parquet: 150,
  query: 2500,
  map: 2000,
  marks: 1000,
  notebook: 300,
  workspace: 300,
  'deep-link': 2000,
  markdown: 1000,
  folder: 60,
  'edited-folder': 40,
  'random-page': 60,
  repeated: 40,
}

const confined = new Confined()
afterAll(() => confined.end())

test('every reader is given inputs, ten thousand in all, of every container and format', () => {
  expect(Object.keys(INPUTS).sort()).toEqual(TARGETS.map(({ id }) => id).sort())
  expect(Object.values(INPUTS).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(10_000)
  expect(SEEDS.length).toBeGreaterThan(50)
})

test.each(TARGETS)('whatever is in it, it is read or refused in a sentence: $title', { timeout: 600_000 }, (target) =>
  drive(target, { numRuns: INPUTS[target.id] ?? 0, seed: SEED, confined }),
)
