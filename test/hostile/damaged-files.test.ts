import fc from 'fast-check'
import { expect, test } from 'vitest'
import { memorySource } from '../containers/memory-source.ts'
import { readSource } from '../formats/read-source.ts'
import { DAMAGE, DAMAGED_FILE, damaged, readsOrSays, SEEDS } from '../fuzz/damage.ts'

// The same number of inputs and the same ones every time; `npm run fuzz` has new ones, and many more.

test('damaged files of every container and format are read, or say why not, and lose no record unsaid', async () => {
  expect(SEEDS.length).toBeGreaterThan(50)
  await fc.assert(
    fc.asyncProperty(DAMAGED_FILE, async ({ seed, damages }) => {
      await readsOrSays(damaged(SEEDS.find(({ name }) => name === seed)!.bytes, damages))
    }),
    { numRuns: 500, seed: 20_261 },
  )
})

test('whatever happens to one line, all the others are read', async () => {
  const line = (n: number) => `{"id": "r${n}", "input_ids": [${n}, 1, 2], "loss_mask": [0, 1, 1]}`
  await fc.assert(
    fc.asyncProperty(fc.array(DAMAGE, { minLength: 1, maxLength: 4 }), fc.nat(6), async (damages, at) => {
      const odd = new TextDecoder().decode(damaged(new TextEncoder().encode(line(99)), damages)).replaceAll('\n', ' ')
      const lines = [0, 1, 2, 3, 4, 5].map(line)
      // A first line that opens a list makes the file a JSON array.
      lines.splice(/^\s*\[/.test(odd) ? at + 1 : at, 0, odd)
      const { trajectories } = await readSource(memorySource(`${lines.join('\n')}\n`))
      const ids = trajectories.map(({ id }) => id)
      expect(ids).toEqual(expect.arrayContaining(['r0', 'r1', 'r2', 'r3', 'r4', 'r5']))
    }),
    { numRuns: 500, seed: 20_261 },
  )
})
