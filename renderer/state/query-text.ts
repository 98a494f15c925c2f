import type { RolloutFilter } from '../../shared/model/report.ts'
import type { ClauseNode, QueryNode } from '../../shared/query/language/ast.ts'
import { formatQuery } from '../../shared/query/language/format.ts'
import { parseQuery } from '../../shared/query/language/parse.ts'

/** What a number on a screen stands for, before it is put into the query language. */
export interface Behind {
  /** Check codes of which a rollout has at least one. */
  readonly codes?: readonly string[]
  readonly where?: RolloutFilter | null
  readonly flaggedOnly?: boolean
  /** In the query language. */
  readonly query?: string
}

type LengthRange = NonNullable<RolloutFilter['lengths']>[number]

const LENGTH_FIELDS: Readonly<Record<LengthRange['of'], string>> = {
  sequence: 'tokens',
  prompt: 'prompt_tokens',
  completion: 'completion_tokens',
  'assistant-turn': 'turn_tokens',
  'tool-reply': 'reply_tokens',
}

const LEFT_FIELDS: Readonly<Record<NonNullable<RolloutFilter['left']>[number]['of'], string>> = {
  sequence: 'sequence_left',
  prompt: 'prompt_left',
  completion: 'completion_left',
  'assistant-turn': 'turn_left',
}

/** A finish reason may say `stop` of what was cut: the language asks for either. */
const END_QUERIES: Readonly<Record<NonNullable<RolloutFilter['end']>, string>> = {
  stop: 'end:stop -end:cut,prompt-only,unknown',
  'cut-prose': 'end:cut-prose',
  'cut-call': 'end:cut-call',
  'cut-reply': 'end:cut-reply',
  'prompt-only': 'end:prompt-only',
  unknown: 'end:unknown',
}

/** The query that finds the rollouts behind a number. */
export function queryOf({ codes = [], where = null, flaggedOnly = false, query = '' }: Behind): string {
  const parts: string[] = query.trim() === '' ? [] : [query.trim()]
  if (codes.length > 0) parts.push(`finding:${codes.join(',')}`)
  parts.push(...anyOf((where?.lengths ?? []).map(lengthClause)))
  parts.push(...anyOf((where?.left ?? []).map(({ of, atMost }) => `${LEFT_FIELDS[of]}<=${atMost}`)))
  if (where?.end !== undefined) parts.push(END_QUERIES[where.end])
  if (where?.assistantTurns !== undefined) parts.push(`assistant_turns>=${where.assistantTurns}`)
  if (where?.lostText) parts.push('lost:any')
  if (where?.documentsHidden) parts.push('lost:documents')
  if (flaggedOnly) parts.push('flag')
  return parts.join(' ')
}

function anyOf(clauses: readonly string[]): readonly string[] {
  return clauses.length < 2 ? clauses : [`(${clauses.join(' or ')})`]
}

function lengthClause({ of, atLeast, below }: LengthRange): string {
  const field = LENGTH_FIELDS[of]
  if (below === undefined) return `${field}>=${atLeast}`
  return below - atLeast <= 1 ? `${field}:${atLeast}` : `${field}:${atLeast}..${below - 1}`
}

/** Terms that the query joins by `and`; none where it cannot be read. */
function terms(query: string): readonly QueryNode[] {
  const { root } = parseQuery(query)
  return root === null ? [] : root.kind === 'all' ? root.nodes : [root]
}

function joined(nodes: readonly QueryNode[]): string {
  const [first, ...others] = nodes
  if (first === undefined) return ''
  return formatQuery(others.length === 0 ? first : { kind: 'all', nodes, columns: { from: 0, to: 0 } })
}

/** The query without the term that stands in these columns. */
export function withoutTerm(query: string, from: number, to: number): string {
  return joined(terms(query).filter(({ columns }) => columns.to <= from || columns.from >= to))
}

/** Codes of the query's own term on findings, those that its chips add to. */
export function codesOf(query: string): readonly string[] {
  const term = terms(query).find(isCodes)
  return term === undefined ? [] : codesOfTerm(term)
}

function isCodes(node: QueryNode): node is ClauseNode {
  if (node.kind !== 'clause' || node.field !== 'finding' || node.test.kind !== 'among' || node.test.differs)
    return false
  return node.test.items.every((item) => item.kind === 'word' && /^[A-Z]\d\d$/i.test(item.text))
}

function codesOfTerm({ test }: ClauseNode): string[] {
  if (test.kind !== 'among') return []
  return test.items.flatMap((item) => (item.kind === 'word' ? [item.text.toUpperCase()] : []))
}

/** Asks for one more code beside those that are asked for already, or no longer for this one. */
export function toggledCode(query: string, code: string): string {
  const all = terms(query)
  const term = all.find(isCodes)
  const codes = term === undefined ? [] : codesOfTerm(term)
  const next = codes.includes(code) ? codes.filter((other) => other !== code) : [...codes, code].sort()
  const others = joined(all.filter((node) => node !== term))
  return [others === '' ? '' : grouped(others), queryOf({ codes: next })].filter(Boolean).join(' ')
}

export function asksForFlag(query: string): boolean {
  return terms(query).some(isFlag)
}

function isFlag(node: QueryNode): boolean {
  return node.kind === 'clause' && node.field === 'flag' && node.test.kind === 'is'
}

export function toggledFlag(query: string): string {
  const all = terms(query)
  const others = joined(all.filter((node) => !isFlag(node)))
  return all.some(isFlag) ? others : [others === '' ? '' : grouped(others), 'flag'].filter(Boolean).join(' ')
}

/** A query that another term is put beside. */
function grouped(query: string): string {
  return parseQuery(query).root?.kind === 'any' ? `(${query})` : query
}

/** Whether what people attached decides the answer. */
export function asksForMarks(query: string): boolean {
  return /flag|label|note/i.test(query)
}
