import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import type { Severity } from '../../shared/model/report.ts'
import { RolloutColumns } from '../../shared/query/columns.ts'
import type { QueryNode, Test } from '../../shared/query/language/ast.ts'
import { fieldNamed, QUERY_FIELDS } from '../../shared/query/language/fields.ts'
import { formatQuery } from '../../shared/query/language/format.ts'
import { ordered, wordRanks } from '../../shared/query/order.ts'
import { planQuery } from '../../shared/query/plan.ts'
import { sortValues } from '../../shared/query/sort-values.ts'
import { NUMBER_LISTS, NUMBERS, WORDS } from '../../shared/query/values.ts'
import { NO_MARKS, numberFits, Verdict, verdictsOf } from '../../shared/query/verdicts.ts'
import { factsOf } from '../helpers/facts.ts'
import { queries } from './arbitrary.ts'

const number = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.double({ min: -1, max: 2 }))

const facts = fc
  .array(
    fc.record({
      id: fc.constantFrom('q1', 'q10', 'q2', 'Q2', 'x'),
      group: fc.option(fc.constantFrom('a', 'b', 'A', 'b (c)')),
      step: fc.option(fc.integer({ min: 0, max: 3 })),
      reward: fc.option(fc.oneof(number, fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY))),
      rewards: fc.option(fc.record({ format: number })),
      trained: fc.option(fc.integer({ min: 0, max: 200 })),
      assistantLengths: fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 3 }),
      endReason: fc.constantFrom('stop' as const, 'cut-prose' as const, 'unknown' as const),
      finishReason: fc.option(fc.constantFrom('stop', 'length')),
      excluded: fc.boolean(),
      idsHash: fc.option(fc.constant('00')),
    }),
    { maxLength: 12 },
  )
  .map((rows) => rows.map((row, record) => factsOf(record, row)))

function columnsOf(rows: readonly TrajectoryFacts[]) {
  const codesOf = (index: number): readonly string[] =>
    index % 3 === 0 ? ['M01', 'T12'] : index % 3 === 1 ? ['M10'] : []
  const worstOf = (index: number): Severity | null => (index % 3 === 0 ? 'error' : null)
  return new RolloutColumns({ facts: rows, codesOf, worstOf, sourceName: () => 'step_1.jsonl' })
}

const FACT_FIELDS = QUERY_FIELDS.filter(({ reads }) => reads === 'facts')

/** What the documentation says of a clause, one rollout at a time; null for those that this does not retell. */
function fitsPlainly(node: QueryNode, row: TrajectoryFacts, index: number): boolean | null {
  switch (node.kind) {
    case 'all':
    case 'any': {
      const parts = node.nodes.map((each) => fitsPlainly(each, row, index))
      if (parts.includes(null)) return null
      return node.kind === 'all' ? parts.every((part) => part === true) : parts.some((part) => part === true)
    }
    case 'not': {
      const inner = fitsPlainly(node.node, row, index)
      return inner === null ? null : !inner
    }
    case 'clause': {
      const { field, component, test: asked } = node
      if (component === null && NUMBERS[field] !== undefined && !hasWords(asked)) {
        return numberFits(asked, NUMBERS[field]?.(row, index) ?? Number.NaN)
      }
      if (component !== null) return numberFits(asked, row.rewards?.[component as 'format'] ?? Number.NaN)
      if (NUMBER_LISTS[field] !== undefined)
        return NUMBER_LISTS[field]?.(row).some((value) => numberFits(asked, value)) ?? null
      if (field === 'excluded') return row.excluded
      return null
    }
    default:
      return null
  }
}

function hasWords(asked: Test): boolean {
  return asked.kind === 'among' && asked.items.some(({ kind }) => kind === 'word')
}

describe('columns answer', () => {
  test('as asking each rollout would', () => {
    fc.assert(
      fc.property(facts, queries(FACT_FIELDS, false), (rows, tree) => {
        const columns = columnsOf(rows)
        columns.at(1)
        const verdicts = verdictsOf(planQuery(tree).whole, {
          columns,
          marks: NO_MARKS,
          probed: () => new Uint8Array(0),
          answered: new Map(),
        })
        expect(verdicts).toHaveLength(rows.length)
        for (const [index, row] of rows.entries()) {
          expect(verdicts[index]).not.toBe(Verdict.open)
          const plainly = fitsPlainly(tree, row, index)
          if (plainly !== null)
            expect([formatQuery(tree), verdicts[index] === Verdict.yes]).toEqual([formatQuery(tree), plainly])
        }
      }),
      { numRuns: 500 },
    )
  })

  test('of a clause and of its denial exactly one fits', () => {
    fc.assert(
      fc.property(facts, queries(FACT_FIELDS, false), (rows, tree) => {
        const columns = columnsOf(rows)
        columns.at(1)
        const known = { columns, marks: NO_MARKS, probed: () => new Uint8Array(0), answered: new Map() }
        const one = verdictsOf(planQuery(tree).whole, known)
        const other = verdictsOf(planQuery({ kind: 'not', node: tree, columns: { from: 0, to: 0 } }).whole, known)
        for (let i = 0; i < rows.length; i++) expect((one[i] as number) + (other[i] as number)).toBe(Verdict.yes)
      }),
      { numRuns: 300 },
    )
  })

  test('every field that reads facts has a column', () => {
    const columns = columnsOf([factsOf(0)])
    columns.at(1)
    const special = new Set([
      'finding',
      'severity',
      'findings',
      'end',
      'excluded',
      'truncated',
      'has',
      'group_size',
      'source',
    ])
    for (const { name } of FACT_FIELDS) {
      const isKnown = NUMBERS[name] !== undefined || NUMBER_LISTS[name] !== undefined || WORDS[name] !== undefined
      expect([name, isKnown || special.has(name)]).toEqual([name, true])
      if (name !== 'has') expect(sortValues(name, columns, NO_MARKS)).toHaveLength(1)
    }
    for (const name of [...Object.keys(NUMBERS), ...Object.keys(NUMBER_LISTS), ...Object.keys(WORDS)]) {
      expect(fieldNamed(name.endsWith('_reason') ? 'end' : name)?.reads).toBe('facts')
    }
  })

  test('rollouts that come later are seen, and the size of a group is counted by step', () => {
    const rows = [factsOf(0, { group: 'a', step: 1 })]
    const columns = columnsOf(rows)
    columns.at(1)
    expect([...columns.number('group_size')]).toEqual([1])
    rows.push(factsOf(1, { group: 'a', step: 1 }), factsOf(2, { group: 'a', step: 2 }), factsOf(3))
    columns.at(2)
    expect([...columns.number('group_size')]).toEqual([2, 2, 1, Number.NaN])
    expect([...columns.number('step')]).toEqual([1, 1, 2, Number.NaN])
  })
})

describe('order', () => {
  test('is that of a plain sort, absent ones last in both directions', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(number, fc.double())), fc.boolean(), (given, descending) => {
        const values = Float64Array.from(given)
        const indices = Int32Array.from(given, (_, i) => i)
        const direction = descending ? -1 : 1
        const plainly = [...indices].sort((a, b) => {
          const [left, right] = [values[a] as number, values[b] as number]
          if (Number.isNaN(left) || Number.isNaN(right))
            return Number(Number.isNaN(left)) - Number(Number.isNaN(right)) || a - b
          return (left < right ? -1 : left > right ? 1 : 0) * direction || a - b
        })
        expect([...ordered(indices, values, descending)]).toEqual(plainly)
      }),
      { numRuns: 500 },
    )
  })

  test('numbers in words count as numbers', () => {
    expect([...wordRanks(['q10', 'q2', 'q1', 'q2'])]).toEqual([3, 1, 0, 1])
    expect([...wordRanks(['q10', 'q2', 'x', 'q2'])]).toEqual([2, 0, 3, 0])
    expect([...wordRanks([])]).toEqual([])
  })
})
