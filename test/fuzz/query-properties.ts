import fc from 'fast-check'
import { expect } from 'vitest'
import { explainQuery } from '../../shared/query/explain.ts'
import { completeQuery } from '../../shared/query/language/complete.ts'
import { QUERY_FIELDS } from '../../shared/query/language/fields.ts'
import { formatQuery } from '../../shared/query/language/format.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'
import { planQuery } from '../../shared/query/plan.ts'
import { queries, withoutColumns } from '../query/arbitrary.ts'

const PIECES = [
  ...QUERY_FIELDS.flatMap(({ name, example }) => [name, `${name}:`, example]),
  ...[
    '(',
    ')',
    '-',
    '|',
    'or',
    'and',
    'not',
    '"',
    '\\',
    '/',
    ',',
    '..',
    ':',
    '=',
    '!=',
    '<=',
    '>',
    '*',
    '%',
    ' ',
    '\n',
    '\t',
  ],
  ...[
    'M01',
    '0.5',
    '-1e309',
    '1e',
    '..5',
    '5..',
    'inf',
    '“',
    '”',
    '\u0000',
    '\ud800',
    '\u202e',
    '💥',
    '(a+)+$',
    '/[/',
    '__proto__',
    'constructor',
  ],
]

const damaged = fc.tuple(queries(), fc.nat(), fc.nat(), fc.constantFrom(...PIECES)).map(([tree, at, length, piece]) => {
  const text = formatQuery(tree)
  const from = at % (text.length + 1)
  return text.slice(0, from) + piece + text.slice(from + (length % 4))
})

const inputs = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join('')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }).map((pieces) => pieces.join(' ')),
  damaged,
)

/** Whatever is typed is read, or refused under its columns. */
export const query = fc.property(inputs, fc.nat(), (text, caret) => {
  const { root, problems } = parseQuery(text)
  for (const { from, to, message } of problems) {
    expect(from).toBeGreaterThanOrEqual(0)
    expect(to).toBeGreaterThan(from)
    expect(to).toBeLessThanOrEqual(Math.max(text.length, 1))
    expect(message.length).toBeGreaterThan(10)
  }
  const { from, to } = completeQuery(text, caret % (text.length + 1))
  expect(from).toBeLessThanOrEqual(to)
  expect(to).toBeLessThanOrEqual(text.length)
  if (root === null) {
    if (text.trim() !== '') expect(problems.length).toBeGreaterThan(0)
    return
  }
  expect(problems).toEqual([])
  planQuery(root)
  explainQuery(root)
  const again = parseQuery(formatQuery(root))
  if (again.problems.some(({ message }) => message.includes('characters'))) return
  expect(again.root === null ? null : withoutColumns(again.root)).toEqual(withoutColumns(root))
})
