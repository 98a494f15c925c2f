import { visibleText } from '../shared/exports/visible-text.ts'
import type { QueryProblem } from '../shared/query/language/ast.ts'
import { displayWidth } from './terminal.ts'

/** Columns of a query that are shown around a problem. */
const SHOWN = 72

/** What is wrong with a query, each problem under its columns, as a compiler says it. */
export function queryProblemText(option: string, query: string, problems: readonly QueryProblem[]): string {
  return problems
    .map((problem, i) => `${i === 0 ? `${option}: ` : ''}${problem.message}\n${underlined(query, problem)}`)
    .join('\n')
}

function underlined(query: string, { from, to }: QueryProblem): string {
  // Far to the right only what is around the problem is shown.
  const start = to <= SHOWN ? 0 : Math.max(0, from - Math.floor(SHOWN / 2))
  const end = Math.min(query.length, start + SHOWN)
  const piece = (a: number, b: number) => visibleText(query.slice(a, b))
  const before = `${start > 0 ? '…' : ''}${piece(start, from)}`
  const marked = piece(from, Math.min(to, end))
  const after = `${piece(Math.min(to, end), end)}${end < query.length ? '…' : ''}`
  const indent = ' '.repeat(displayWidth(before))
  return `  ${before}${marked}${after}\n  ${indent}${'^'.repeat(Math.max(1, displayWidth(marked)))}`
}
