import { expect, it } from 'vitest'
import { runOver } from '../helpers/dump-check.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'

it.each([
  [{ id: 'q1-0' }, 'rollout q1-0'],
  [{ id: ' ', line: 7 }, 'the rollout of line 7'],
  [{ id: '' }, 'record 0'],
])('names the rollout that another is a copy of, an empty id by its place: %o', (original, name) => {
  const same = { idsHash: 'a'.repeat(16) }
  const { findings } = runOver('S04', dumpOf([factsOf(0, { ...original, ...same }), factsOf(1, same)]))
  expect(findings.map(({ message }) => message)).toEqual([`All 200 ids are those of ${name}`])
})
