import { isLengthStop } from '../checks/oracles/end-reason.ts'
import { counted } from '../model/number-text.ts'
import type { RolloutColumns } from './columns.ts'
import type { QueryNode } from './language/ast.ts'
import { WordTest } from './word-test.ts'

/**
 * What a query by a finish reason that names a limit (`end:length`) does not meet: rows that were cut after the model had stopped
 * carry the reason with which it stopped. Null where there are none, and for every other query.
 */
export function cutOtherwise(root: QueryNode | null, columns: RolloutColumns): string | null {
  if (root === null || !asksForLength(root)) return null
  const readers = {
    end_reason: new WordTest((word) => word.startsWith('cut-')),
    finish_reason: new WordTest((word) => !isLengthStop(word)),
  }
  let others = 0
  columns.visitWords(readers, ([own, told]) => {
    const [cut, otherwise] = [own as Int32Array, told as Int32Array]
    for (let i = 0; i < cut.length; i++) others += Number(cut[i] === 1) & Number(otherwise[i] === 1)
  })
  if (others === 0) return null
  return `${counted(others, 'more rollout')} ${others === 1 ? 'was' : 'were'} cut, though the finish reason recorded is another one: end:cut finds all that were cut.`
}

function asksForLength(node: QueryNode): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.some(asksForLength)
  if (node.kind !== 'clause' || node.field !== 'end' || node.test.kind !== 'among' || node.test.differs) return false
  const words = node.test.items.flatMap((item) => (item.kind === 'word' ? item.text : []))
  return words.some(isLengthStop) && !words.includes('cut')
}
