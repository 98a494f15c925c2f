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
