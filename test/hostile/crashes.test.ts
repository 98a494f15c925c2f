import { afterAll, expect, test } from 'vitest'
import { Confined } from '../fuzz/confined.ts'
import { CRASHES, keptCrashes, readCrash } from '../fuzz/crashes.ts'
import { TARGETS } from '../fuzz/targets.ts'

const confined = new Confined()
afterAll(() => confined.end())

const kept = keptCrashes().map((crash) => ({ ...crash, name: crash.path.slice(CRASHES.length + 1) }))

test('there are inputs that once went wrong', () => expect(kept.length).toBeGreaterThan(0))

test.each(kept)('what once went wrong does so no longer: $name', async ({ target: id, path }) => {
  const target = TARGETS.find((each) => each.id === id)
  expect(target, `a reader that is called ${id}`).toBeDefined()
  await confined.holds({ id }, readCrash(path))
})
