import type { ClauseNode, Columns, Item, QueryNode } from './language/ast.ts'
import { fieldNamed } from './language/fields.ts'
import { formatQuery } from './language/format.ts'

/** Something inside of a rollout that is looked for in its tokens and messages. Plain data: it is posted to workers. */
export type Probe =
  /** A text or a regular expression, in the tokens that `within` allows; null = anywhere. */
  | { readonly kind: 'text'; readonly text: QueryNode & { kind: 'text' | 'regex' }; readonly within: QueryNode | null }
  /** A token for which everything holds: places and measures. */
  | { readonly kind: 'tokens'; readonly where: QueryNode }
  /** A finding of these codes in a turn that fits. */
  | { readonly kind: 'finding'; readonly codes: readonly Item[]; readonly turns: QueryNode }

/** A query, cut into what columns answer and what takes reading rollouts again. */
export type PlanNode =
  | { readonly kind: 'all' | 'any'; readonly nodes: readonly PlanNode[] }
  | { readonly kind: 'not'; readonly node: PlanNode }
  | { readonly kind: 'clause'; readonly clause: ClauseNode }
  | { readonly kind: 'probe'; readonly probe: Probe; readonly key: string }

/** One of the terms that the query joins by `and`. */
export interface PlannedTerm {
  readonly node: QueryNode
  /** Null where it only says which tokens the others mean, or is one of several measures of the same token. */
  readonly plan: PlanNode | null
}

export interface QueryPlan {
  readonly whole: PlanNode
  readonly terms: readonly PlannedTerm[]
  /** Everything that takes reading rollouts again, by key, in the order of writing. */
  readonly probes: ReadonlyMap<string, Probe>
}

/**
 * How a query is answered. Clauses about places (`part`, `turn`, `state` …) that stand beside texts, measures of tokens or findings
 * narrow them; alone they ask whether there is such a token. All measures beside each other speak of one token.
 */
export function planQuery(root: QueryNode): QueryPlan {
  const whole = plan(root, [])
  const probes = new Map<string, Probe>()
  collectProbes(whole, probes)
  const terms = root.kind === 'all' ? root.nodes : [root]
  const places = root.kind === 'all' ? root.nodes.filter(isPlace) : []
  const isAnswered = (node: PlanNode) => {
    const own = new Map<string, Probe>()
    collectProbes(node, own)
    return [...own.keys()].every((key) => probes.has(key))
  }
  return {
    whole,
    probes,
    terms: terms.map((node) => {
      const narrows = root.kind === 'all' && isPlace(node) && narrowsOthers(root.nodes, places)
      const own = narrows ? null : plan(node, isPlace(node) ? [] : places)
      return { node, plan: own !== null && isAnswered(own) ? own : null }
    }),
  }
}

function plan(node: QueryNode, places: readonly QueryNode[]): PlanNode {
  if (isPlace(node)) return alone([node], places)
  switch (node.kind) {
    case 'all':
      return planAll(node.nodes, places)
    case 'any':
      if (isMeasure(node)) return tokensProbe([...places, node])
      return { kind: 'any', nodes: node.nodes.map((each) => plan(each, places)) }
    case 'not':
      return { kind: 'not', node: plan(node.node, places) }
    case 'text':
    case 'regex':
      return probeNode({ kind: 'text', text: node, within: allOf(places) })
    case 'clause':
      if (isMeasure(node)) return tokensProbe([...places, node])
      return node.field === 'finding' ? planFinding(node, places.filter(isTurn)) : { kind: 'clause', clause: node }
  }
}

function planAll(nodes: readonly QueryNode[], outer: readonly QueryNode[]): PlanNode {
  const own = nodes.filter(isPlace)
  const measures = nodes.filter((node) => !isPlace(node) && isMeasure(node))
  const others = nodes.filter((node) => !isPlace(node) && !isMeasure(node))
  const places = [...outer, ...own]
  const planned = others.map((node) => plan(node, places))
  if (measures.length > 0) planned.push(tokensProbe([...places, ...measures]))
  // Places that nothing beside them takes ask for themselves.
  const left = measures.length > 0 || others.some(looksInside) ? [] : own
  const lone = others.some(hasFinding) ? left.filter((place) => !isTurn(place)) : left
  if (lone.length > 0) planned.push(alone(lone, outer))
  return planned.length === 1 ? (planned[0] as PlanNode) : { kind: 'all', nodes: planned }
}

/** Whether places narrow any of the terms beside them. */
function narrowsOthers(nodes: readonly QueryNode[], places: readonly QueryNode[]): boolean {
  const others = nodes.filter((node) => !isPlace(node))
  return others.some(looksInside) || (places.some(isTurn) && others.some(hasFinding))
}

/** There is a token in these places; of places that are all denied, there is none in any of them. */
function alone(own: readonly QueryNode[], outer: readonly QueryNode[]): PlanNode {
  if (own.some((place) => place.kind !== 'not')) return tokensProbe([...outer, ...own])
  const none = own.map((place): PlanNode => {
    const denied = (place as QueryNode & { kind: 'not' }).node
    return { kind: 'not', node: plan(denied, outer) }
  })
  return none.length === 1 ? (none[0] as PlanNode) : { kind: 'all', nodes: none }
}

function planFinding(clause: ClauseNode, turns: readonly QueryNode[]): PlanNode {
  const facts: PlanNode = { kind: 'clause', clause }
  const where = allOf(turns)
  const { test } = clause
  if (where === null || test.kind !== 'among') return facts
  // The codes of a rollout tell cheaply that there is nothing to look for.
  const probe = probeNode({ kind: 'finding', codes: test.items, turns: where })
  return test.differs ? { kind: 'not', node: probe } : { kind: 'all', nodes: [facts, probe] }
}

function tokensProbe(nodes: readonly QueryNode[]): PlanNode {
  return probeNode({ kind: 'tokens', where: allOf(nodes) as QueryNode })
}

function probeNode(probe: Probe): PlanNode {
  return { kind: 'probe', probe, key: probeKey(probe) }
}

function probeKey(probe: Probe): string {
  switch (probe.kind) {
    case 'text':
      return `text ${formatQuery(probe.text)} within ${formatQuery(probe.within)}`
    case 'tokens':
      return `tokens ${formatQuery(probe.where)}`
    case 'finding':
      return `finding ${JSON.stringify(probe.codes)} in ${formatQuery(probe.turns)}`
  }
}

const NOWHERE: Columns = { from: 0, to: 0 }

function allOf(nodes: readonly QueryNode[]): QueryNode | null {
  if (nodes.length < 2) return nodes[0] ?? null
  return { kind: 'all', nodes, columns: NOWHERE }
}

/** Whether a term only says which tokens are meant. */
function isPlace(node: QueryNode): boolean {
  return everyClause(node, ({ field }) => fieldNamed(field)?.about === 'place')
}

function isTurn(node: QueryNode): boolean {
  return everyClause(node, ({ field }) => field === 'turn' || field === 'assistant_turn')
}

/** A measure of a token, or several of which one has to fit; what is denied or stands in parentheses by itself is none. */
function isMeasure(node: QueryNode): boolean {
  if (node.kind === 'any') return node.nodes.every((each) => isMeasure(each))
  return node.kind === 'clause' && fieldNamed(node.field)?.about === 'token'
}

function everyClause(node: QueryNode, fits: (clause: ClauseNode) => boolean): boolean {
  switch (node.kind) {
    case 'all':
    case 'any':
      return node.nodes.every((each) => everyClause(each, fits))
    case 'not':
      return everyClause(node.node, fits)
    case 'clause':
      return fits(node)
    default:
      return false
  }
}

function someLeaf(node: QueryNode, fits: (leaf: QueryNode) => boolean): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.nodes.some((each) => someLeaf(each, fits))
  return node.kind === 'not' ? someLeaf(node.node, fits) : fits(node)
}

function looksInside(node: QueryNode): boolean {
  return someLeaf(node, (leaf) => leaf.kind === 'text' || leaf.kind === 'regex' || isMeasure(leaf))
}

function hasFinding(node: QueryNode): boolean {
  return someLeaf(node, (leaf) => leaf.kind === 'clause' && leaf.field === 'finding')
}

function collectProbes(node: PlanNode, into: Map<string, Probe>): void {
  if (node.kind === 'all' || node.kind === 'any') for (const each of node.nodes) collectProbes(each, into)
  else if (node.kind === 'not') collectProbes(node.node, into)
  else if (node.kind === 'probe') into.set(node.key, node.probe)
}
