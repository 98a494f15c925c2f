import { count, percent } from '../model/number-text.ts'
import type { ClauseNode, Comparison, Item, QueryNode, Test } from './language/ast.ts'
import type { QueryField } from './language/field.ts'
import { fieldNamed } from './language/fields.ts'
import { quote } from './language/format.ts'
import { type PlanNode, type Probe, planQuery } from './plan.ts'

/** What a query asks for, in one plain sentence; made from how it is answered, so that it cannot say something else. */
export function explainQuery(root: QueryNode | null): string {
  return root === null ? 'All rollouts.' : `Rollouts where ${explainPlan(planQuery(root).whole)}.`
}

/** The same of a part of it, without a subject: `reward is at least 0.5`. */
export function explainPlan(plan: PlanNode): string {
  return said(plan, true)
}

/** What a term says that only tells which tokens others mean: `tokens whose part is tool`. */
export function explainPlaces(places: QueryNode): string {
  return `tokens ${whose(places)}`
}

function said(plan: PlanNode, isSo: boolean): string {
  switch (plan.kind) {
    case 'all':
    case 'any': {
      // A finding in a turn is looked for twice: by the codes of the rollout, and in the turn.
      const nodes = plan.nodes.filter((node, i) => !isImpliedBy(node, plan.nodes[i + 1]))
      if (nodes.length === 1) return said(nodes[0] as PlanNode, isSo)
      const joint = plan.kind === 'all' ? ' and ' : ' or '
      const parts = nodes.map((node) => (isGroup(node) ? `(${said(node, true)})` : said(node, true)))
      return isSo ? parts.join(joint) : `it is not so that (${parts.join(joint)})`
    }
    case 'not':
      return said(plan.node, !isSo)
    case 'clause':
      return clauseSaid(plan.clause, isSo)
    case 'probe':
      return probeSaid(plan.probe, isSo)
  }
}

function isGroup(node: PlanNode): boolean {
  return node.kind === 'all' || node.kind === 'any' || (node.kind === 'not' && isGroup(node.node))
}

function isImpliedBy(node: PlanNode, next: PlanNode | undefined): boolean {
  return (
    node.kind === 'clause' && node.clause.field === 'finding' && next?.kind === 'probe' && next.probe.kind === 'finding'
  )
}

function clauseSaid(clause: ClauseNode, isSo: boolean): string {
  const field = fieldNamed(clause.field) as QueryField
  const { test } = clause
  if (test.kind === 'is') return `it is ${isSo ? '' : 'not '}${field.title}`
  if (field.name === 'finding') {
    const codes = test.kind === 'among' ? codesText(test.items) : ''
    return (test.kind === 'among' && test.differs) === isSo
      ? `there is no finding of ${codes}`
      : `there is a finding of ${codes}`
  }
  if (field.name === 'has' && test.kind === 'among') {
    const things = orList(test.items.map((item) => meaning(field, item)))
    return test.differs === isSo ? `the dump does not tell ${things}` : `the dump tells ${things}`
  }
  if (field.name === 'edge' && test.kind === 'among') {
    const edges = orList(test.items.map((item) => itemText(item, null).replace('>', ' → ')))
    return test.differs === isSo ? `no turn edge is ${edges}` : `there is a turn edge ${edges}`
  }
  if (
    field.name === 'lost' &&
    test.kind === 'among' &&
    test.items.every(({ kind }) => kind === 'word') &&
    !test.differs
  ) {
    const things = orList(test.items.map((item) => meaning(field, item)))
    return isSo ? `text is lost (${things})` : `no text is lost (${things})`
  }
  const title = clause.component === null ? field.title : `${field.title} “${clause.component}”`
  return `${isSo ? '' : 'it is not so that '}${title} ${testSaid(test, field)}`
}

function codesText(items: readonly Item[]): string {
  return orList(items.map((item) => (item.kind === 'word' && item.text === 'any' ? 'any kind' : itemText(item, null))))
}

const COMPARED: Readonly<Record<Comparison, string>> = {
  '<': 'is below',
  '<=': 'is at most',
  '>': 'is above',
  '>=': 'is at least',
}

function testSaid(test: Test, field: QueryField): string {
  if (test.kind === 'is') return 'is so'
  if (test.kind === 'compare') return `${COMPARED[test.comparison]} ${numberText(test.value, field)}${unitText(field)}`
  const items = orList(test.items.map((item) => itemText(item, field)))
  const contains = field.match === 'contains' && field.type === 'text'
  if (contains) return test.differs ? `does not contain ${items}` : `contains ${items}`
  if (test.items.length > 1) return test.differs ? `is none of ${items}` : `is ${items}`
  return test.differs ? `is not ${items}` : `is ${items}`
}

function itemText(item: Item, field: QueryField | null): string {
  switch (item.kind) {
    case 'number':
      return field === null ? String(item.value) : numberText(item.value, field)
    case 'range': {
      const [least, most] = [item.least, item.most].map((end) => (end === null ? null : numberText(end, field)))
      if (least === null) return `at most ${most}`
      return most === null ? `at least ${least}` : `from ${least} to ${most}`
    }
    case 'word':
      return field?.type === 'text' ? quote(item.text) : item.text
    case 'glob':
      return item.text
    case 'regex':
      return `what /${item.source}/${item.flags} finds`
  }
}

function meaning(field: QueryField, item: Item): string {
  const known = item.kind === 'word' ? field.choices.find(({ value }) => value === item.text) : undefined
  return known?.means ?? itemText(item, field)
}

function numberText(value: number, field: QueryField | null): string {
  if (field?.unit === 'share') return percent(value)
  if (!Number.isFinite(value)) return value < 0 ? 'minus infinity' : 'infinity'
  return Number.isInteger(value) && Math.abs(value) >= 10_000 && field?.unit === 'tokens' ? count(value) : String(value)
}

/** Nothing where the title says what is counted: `trained tokens is above 3`. */
function unitText({ unit, title }: QueryField): string {
  if (unit === null || unit === 'share' || unit === 'rollouts') return ''
  return title.startsWith('number of ') || title.endsWith(unit) ? '' : ` ${unit}`
}

function probeSaid(probe: Probe, isSo: boolean): string {
  switch (probe.kind) {
    case 'text': {
      const what =
        probe.text.kind === 'text' ? `the text ${quote(probe.text.text)}` : `/${probe.text.source}/${probe.text.flags}`
      const where = probe.within === null ? 'the rollout' : `tokens ${whose(probe.within)}`
      return isSo ? `${what} is found in ${where}` : `${what} is not found in ${where}`
    }
    case 'tokens':
      return `there is ${isSo ? 'a' : 'no'} token ${whose(probe.where)}`
    case 'finding':
      return `there is ${isSo ? 'a' : 'no'} finding of ${codesText(probe.codes)} in a turn ${whose(probe.turns, 'number ')}`
  }
}

/** `whose part is tool and whose turn is at least 2` */
function whose(where: QueryNode, turnWord = ''): string {
  switch (where.kind) {
    case 'all':
    case 'any':
      return where.nodes
        .map((node) =>
          node.kind === 'all' || node.kind === 'any' ? `(${whose(node, turnWord)})` : whose(node, turnWord),
        )
        .join(where.kind === 'all' ? ' and ' : ' or ')
    case 'not':
      return `not (${whose(where.node, turnWord)})`
    case 'clause': {
      const field = fieldNamed(where.field) as QueryField
      const title = turnWord !== '' && field.name === 'turn' ? 'number' : field.title
      return `whose ${title} ${testSaid(where.test, field)}`
    }
    default:
      return ''
  }
}

function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
