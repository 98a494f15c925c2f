import assert from 'node:assert/strict'
import fc from 'fast-check'
import { explainQuery } from '../../shared/query/explain.ts'
import { completeQuery } from '../../shared/query/language/complete.ts'
import { QUERY_FIELDS } from '../../shared/query/language/fields.ts'
import { formatQuery } from '../../shared/query/language/format.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'
import { planQuery } from '../../shared/query/plan.ts'
import { queries, withoutColumns } from '../query/arbitrary.ts'
import { target } from './target.ts'

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
export const queryText = target('query', 'a query', fc.record({ text: inputs, caret: fc.nat() }), ({ text, caret }) => {
  const { root, problems } = parseQuery(text)
  for (const { from, to, message } of problems) {
    assert.ok(0 <= from && from < to && to <= Math.max(text.length, 1), `${message} stands at ${from} to ${to}`)
    assert.ok(message.length > 10, message)
  }
  const { from, to } = completeQuery(text, caret % (text.length + 1))
  assert.ok(from <= to && to <= text.length, `completed from ${from} to ${to}`)
  if (root === null) {
    if (text.trim() !== '') assert.ok(problems.length > 0, 'it is not read, and nothing is said')
    return
  }
  assert.deepEqual(problems, [])
  planQuery(root)
  explainQuery(root)
  const again = parseQuery(formatQuery(root))
  if (again.problems.some(({ message }) => message.includes('characters'))) return
  assert.deepEqual(again.root === null ? null : withoutColumns(again.root), withoutColumns(root))
})
