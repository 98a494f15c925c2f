import { isLengthStop } from '../checks/end-reason.ts'
import { counted } from '../model/number-text.ts'
import type { RolloutColumns } from './columns.ts'
import type { QueryNode } from './language/ast.ts'

/**
 * What a query by a finish reason that names a limit (`end:length`) does not meet: rows that were cut after the model had stopped
 * carry the reason with which it stopped. Null where there are none, and for every other query.
 */
export function cutOtherwise(root: QueryNode | null, columns: RolloutColumns): string | null {
  if (root === null || !asksForLength(root)) return null
  const ends = columns.word('end_reason')
  const told = columns.word('finish_reason')
  let others = 0
  for (let i = 0; i < columns.size; i++) {
    const end = ends.at[i] as number
    if (end < 0 || !ends.words.text(end).startsWith('cut-')) continue
    const reason = told.at[i] as number
    if (reason >= 0 && !isLengthStop(told.words.text(reason))) others++
  }
  if (others === 0) return null
  return `${counted(others, 'more rollout')} ${others === 1 ? 'was' : 'were'} cut, though the finish reason recorded is another one: end:cut finds all that were cut.`
}

function asksForLength(node: QueryNode): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.some(asksForLength)
  if (node.kind !== 'clause' || node.field !== 'end' || node.test.kind !== 'among' || node.test.differs) return false
  const words = node.test.items.flatMap((item) => (item.kind === 'word' ? item.text : []))
  return words.some(isLengthStop) && !words.includes('cut')
}
