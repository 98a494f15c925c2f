/**
 * Filters that templates of the Hub use and the Jinja library lacks, as functions: `x | reject('equalto', y)` is
 * rewritten to the call `reject(x, 'equalto', y)` in the parsed template.
 */
export const EXTRA_FILTERS: Readonly<Record<string, (...values: unknown[]) => unknown>> = {
  reject: (list, test, other) => plain(list).filter((item) => !passes(item, test, other)),
  format: (pattern, ...values) => {
    let next = 0
    return String(pattern).replace(/%[sd%]/g, (mark) => (mark === '%%' ? '%' : String(values[next++] ?? '')))
  },
}

/** The library hands arrays over with their elements still wrapped. */
function plain(list: unknown): unknown[] {
  if (!Array.isArray(list)) throw new Error('reject takes a list')
  return list.map((item: unknown) => (isNode(item) && 'value' in item ? item.value : item))
}

function passes(item: unknown, test: unknown, other: unknown): boolean {
  if (test === undefined) return Boolean(item)
  if (test === 'equalto' || test === 'eq' || test === '==') return item === other
  if (test === 'in') return Array.isArray(other) && plain(other).includes(item)
  throw new Error(`reject knows no test ${String(test)}`)
}

type Node = Record<string, unknown>

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Turns uses of the extra filters into calls, in place. */
export function rewriteFilters(node: unknown): void {
  if (Array.isArray(node)) {
    for (const each of node) rewriteFilters(each)
    return
  }
  if (!isNode(node)) return
  const { filter } = node
  if (node.type === 'FilterExpression' && isNode(filter)) {
    const callee = filter.type === 'CallExpression' && isNode(filter.callee) ? filter.callee : filter
    if (callee.type === 'Identifier' && Object.hasOwn(EXTRA_FILTERS, String(callee.value))) {
      const args = Array.isArray(filter.args) ? (filter.args as unknown[]) : []
      Object.assign(node, { type: 'CallExpression', callee, args: [node.operand, ...args] })
      delete node.operand
      delete node.filter
    }
  }
  for (const child of Object.values(node)) rewriteFilters(child)
}
