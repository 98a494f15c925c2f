import fc from 'fast-check'
import { expect, test } from 'vitest'
import { explainQuery } from '../../shared/query/explain.ts'
import { formatQuery } from '../../shared/query/language/format.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'
import { planQuery } from '../../shared/query/plan.ts'
import { queries, withoutColumns } from './arbitrary.ts'

test('what is written of a tree is read as the same tree', () => {
  fc.assert(
    fc.property(queries(), (tree) => {
      const written = formatQuery(tree)
      fc.pre(written.length < 4000)
      const { root, problems } = parseQuery(written)
      expect(problems).toEqual([])
      expect(root === null ? null : withoutColumns(root)).toEqual(tree)
    }),
    { numRuns: 1000 },
  )
})

test('every tree has a plan and a sentence', () => {
  fc.assert(
    fc.property(queries(), (tree) => {
      planQuery(tree)
      expect(explainQuery(tree)).toMatch(/^Rollouts where \S.*\.$/s)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['turns>=3', 'number of turns is at least 3'],
  ['assistant_turns>1', 'number of assistant turns is above 1'],
  ['tool_turns<2', 'number of tool replies is below 2'],
  ['trained_tokens<=5', 'trained tokens is at most 5'],
  ['tokens>300', 'length is above 300 tokens'],
])('%s names its unit once', (query, said) => {
  const { root } = parseQuery(query)
  expect(root && explainQuery(root)).toBe(`Rollouts where ${said}.`)
})
