import type { Item, QueryNode, Test } from './ast.ts'
import { fieldNamed } from './fields.ts'

/** A query as text, the same for all queries of the same meaning and grouping. Reading it gives the same tree. */
export function formatQuery(root: QueryNode | null): string {
  return root === null ? '' : formatNode(root)
}

function formatNode(node: QueryNode): string {
  switch (node.kind) {
    case 'all':
      return node.nodes.map((each) => within(each, each.kind === 'all' || each.kind === 'any')).join(' ')
    case 'any':
      return node.nodes.map((each) => within(each, each.kind === 'any')).join(' or ')
    case 'not':
      return `-${within(node.node, node.node.kind === 'all' || node.node.kind === 'any' || node.node.kind === 'not')}`
    case 'text':
      return quote(node.text)
    case 'regex':
      return `/${node.source}/${node.flags}`
    case 'clause': {
      const name = node.component === null ? node.field : `${node.field}.${node.component}`
      return `${name}${formatTest(node.test)}`
    }
  }
}

function within(node: QueryNode, needsParentheses: boolean): string {
  const text = formatNode(node)
  return needsParentheses ? `(${text})` : text
}

function formatTest(test: Test): string {
  if (test.kind === 'is') return ''
  if (test.kind === 'compare') return `${test.comparison}${formatNumber(test.value)}`
  return `${test.differs ? '!=' : ':'}${test.items.map(formatItem).join(',')}`
}

/** A value as it is written behind a field. */
export function formatItem(item: Item): string {
  switch (item.kind) {
    case 'number':
      return formatNumber(item.value)
    case 'range':
      return `${item.least === null ? '' : formatNumber(item.least)}..${item.most === null ? '' : formatNumber(item.most)}`
    case 'glob':
      return item.text
    case 'regex':
      return `/${item.source}/${item.flags}`
    case 'word':
      return isPlain(item.text) ? item.text : quote(item.text)
  }
}

function formatNumber(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return value < 0 ? '-inf' : 'inf'
}

/** Read as one word without quotes. */
function isPlain(text: string): boolean {
  return /^[^\s()|",“”*/][^\s()|",“”*]*$/.test(text)
}

/** A text in quotes, with what would end them escaped. */
export function quote(text: string): string {
  const escaped = text.replace(/[\\"]/g, (character) => `\\${character}`)
  return `"${escaped.replace(/\n/g, '\\n').replace(/\t/g, '\\t').replace(/\r/g, '\\r')}"`
}

/** A clause that asks a field for one value: what a chip or a link to the rollouts behind a number writes. */
export function clauseText(field: string, value: string): string {
  if (fieldNamed(field) === null) throw new Error(`There is no field ${field}.`)
  return `${field}:${isPlain(value) ? value : quote(value)}`
}
