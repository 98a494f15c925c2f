import fc from 'fast-check'
import type { ClauseNode, Item, QueryNode, Test } from '../../shared/query/language/ast.ts'
import type { QueryField } from '../../shared/query/language/field.ts'
import { QUERY_FIELDS } from '../../shared/query/language/fields.ts'

const columns = { from: 0, to: 0 }

const number = fc.oneof(
  fc.integer({ min: -1000, max: 100_000 }),
  fc.double({ noNaN: true }).map((value) => value + 0),
)

const text = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' })

const regex = fc.record({
  kind: fc.constant('regex' as const),
  source: fc.constantFrom('a+b', '[/]x', 'Doc\\d', '\\/', '(a|b)c', 'x{2,3}', '^a', 'é$'),
  flags: fc.constantFrom('', 'i', 'im', 's'),
})

function ranges(): fc.Arbitrary<Item> {
  return fc.tuple(fc.option(number), fc.option(number)).map(([a, b]): Item => {
    if (a === null && b === null) return { kind: 'range', least: 0, most: null }
    if (a !== null && b !== null) return { kind: 'range', least: Math.min(a, b), most: Math.max(a, b) }
    return { kind: 'range', least: a, most: b }
  })
}

function items(field: QueryField): fc.Arbitrary<Item> {
  const choices = field.choices.map(({ value }): Item => ({ kind: 'word', text: value }))
  const known = choices.length === 0 ? [] : [fc.constantFrom(...choices)]
  if (field.type === 'number')
    return fc.oneof(
      number.map((value): Item => ({ kind: 'number', value })),
      ranges(),
      ...known,
    )
  if (field.name === 'finding') {
    return fc.oneof(
      fc.constantFrom<Item>({ kind: 'word', text: 'M01' }, { kind: 'word', text: 'T12' }, { kind: 'glob', text: 'M*' }),
      ...known,
    )
  }
  const words = fc.oneof(
    text.map((word): Item => ({ kind: 'word', text: word })),
    fc.constantFrom<Item>({ kind: 'glob', text: 'q*' }, { kind: 'glob', text: '*a*b' }),
  )
  if (field.type === 'text') return fc.oneof(words, regex)
  return fc.oneof(...known)
}

function tests(field: QueryField): fc.Arbitrary<Test> {
  if (field.type === 'flag') return fc.constant({ kind: 'is' })
  const among = fc.record({
    kind: fc.constant('among' as const),
    items: fc.array(items(field), { minLength: 1, maxLength: 3 }),
    differs: fc.boolean(),
  })
  if (field.type !== 'number') return among
  const compare = fc.record({
    kind: fc.constant('compare' as const),
    comparison: fc.constantFrom('<' as const, '<=' as const, '>' as const, '>=' as const),
    value: number,
  })
  return fc.oneof(among, compare)
}

function clauses(fields: readonly QueryField[]): fc.Arbitrary<ClauseNode> {
  return fc.constantFrom(...fields).chain((field) =>
    fc.record({
      kind: fc.constant('clause' as const),
      field: fc.constant(field.name),
      component: field.hasComponents ? fc.constantFrom(null, 'format', 'a/b-c') : fc.constant(null),
      test: tests(field),
      columns: fc.constant(columns),
    }),
  )
}

/** Any tree that a query may be read as, of these fields. Columns are all zero. */
export function queries(fields: readonly QueryField[] = QUERY_FIELDS, withTexts = true): fc.Arbitrary<QueryNode> {
  const leaf: fc.Arbitrary<QueryNode>[] = [clauses(fields)]
  if (withTexts) {
    leaf.push(text.map((words): QueryNode => ({ kind: 'text', text: words, columns })))
    leaf.push(regex.map((each): QueryNode => ({ ...each, columns })))
  }
  return fc.letrec<{ node: QueryNode }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.oneof(...leaf),
      fc
        .array(tie('node'), { minLength: 2, maxLength: 4 })
        .map((nodes): QueryNode => ({ kind: 'all', nodes, columns })),
      fc
        .array(tie('node'), { minLength: 2, maxLength: 3 })
        .map((nodes): QueryNode => ({ kind: 'any', nodes, columns })),
      tie('node').map((node): QueryNode => ({ kind: 'not', node, columns })),
    ),
  })).node
}

/** The same without the places where it was written. */
export function withoutColumns(node: QueryNode): QueryNode {
  if (node.kind === 'all' || node.kind === 'any') return { ...node, nodes: node.nodes.map(withoutColumns), columns }
  if (node.kind === 'not') return { ...node, node: withoutColumns(node.node), columns }
  return { ...node, columns }
}
