import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Message, RecordIssue } from '../model/trajectory.ts'
import { BadRecord, isObject, kindOf } from './fields.ts'
import { messageOf } from './messages.ts'
import { readIds } from './sequence.ts'

/** One message of the graph and the tokens that it adds to what came before it. */
export interface GraphNode {
  /** Its name for people: `nodes[3]`. */
  readonly name: string
  readonly object: JsonObject
  /** Index of the message before it, -1 at a root. */
  readonly parent: number
  readonly message: Message | null
  readonly sampled: boolean
  readonly ids: Int32Array
  /** What it holds, or what came before it, is not known: no sequence goes through it. */
  readonly broken: boolean
  readonly issues: readonly RecordIssue[]
}

/** Tokens (and messages) that the branches of one trace may have together. */
const MOST = 1 << 26

/** The nodes of a trace. What is wrong with one is an issue, and it is `broken`. */
export function readNodes(list: readonly JsonValue[]): GraphNode[] {
  return list.map((value, index) => {
    const name = `nodes[${index}]`
    const object = isObject(value) ? value : {}
    const issues: RecordIssue[] = []
    const wrong = (code: string, field: string, message: string) => {
      issues.push({ code, field, message })
      return true
    }
    let broken =
      !isObject(value) && wrong('bad-type', name, `${name} is ${kindOf(value)}, but no message with its tokens`)
    const parent = object.parent ?? null
    // Nodes are appended: what a node follows stands before it. So nothing can go round in circles.
    const known = typeof parent === 'number' && Number.isInteger(parent) && parent >= 0 && parent < index
    if (parent !== null && !known) {
      const said = `${name}.parent is ${typeof parent === 'number' ? parent : kindOf(parent)}`
      broken = wrong('broken-graph', `${name}.parent`, `${said}: no node before it has that index`)
    }
    let ids: Int32Array = new Int32Array(0)
    try {
      ids = readIds(`${name}.token_ids`, object.token_ids ?? [], issues)
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error
      broken = wrong(error.code, `${name}.token_ids`, error.message)
    }
    return {
      name,
      object,
      parent: known ? parent : -1,
      message: isObject(object.message) ? messageOf(object.message) : null,
      sampled: object.sampled === true,
      ids,
      broken,
      issues,
    }
  })
}

/**
 * The branches of the graph, one for each node that no other follows, as indices from the root on. Throws `BadRecord` where they
 * would be larger than any run makes them.
 */
export function pathsOf(nodes: readonly GraphNode[]): number[][] {
  const followed = new Uint8Array(nodes.length)
  const depths = new Float64Array(nodes.length)
  for (const [index, { parent, ids }] of nodes.entries()) {
    if (parent >= 0) followed[parent] = 1
    depths[index] = (parent < 0 ? 0 : (depths[parent] as number)) + ids.length + 1
  }
  const leaves = Array.from(nodes.keys()).filter((index) => followed[index] === 0)
  const total = leaves.reduce((sum, leaf) => sum + (depths[leaf] as number), 0)
  if (total > MOST) {
    throw new BadRecord(
      'too-large',
      `its ${leaves.length} branches have ${total} tokens together, ${MOST} are read at most`,
    )
  }
  return leaves.map((leaf) => {
    const path: number[] = []
    for (let at = leaf; at >= 0; at = (nodes[at] as GraphNode).parent) path.push(at)
    return path.reverse()
  })
}

/** Where two sequences part: the index of the first token that is not the same. */
export function partsAt(a: Int32Array, b: Int32Array): number {
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at < end && a[at] === b[at]) at++
  return at
}

/**
 * For each node the first with the same parent that says the same: role, words and calls. A later prompt that repeats a message in
 * other tokens makes a second node of it.
 */
export function firstToSay(nodes: readonly GraphNode[]): Int32Array {
  const said = new Map<string, number>()
  return Int32Array.from(nodes, ({ parent, message }, index) => {
    if (message === null) return index
    const key = JSON.stringify([parent, message.role, message.content ?? '', message.toolCalls ?? []])
    const first = said.get(key)
    if (first === undefined) said.set(key, index)
    return first ?? index
  })
}
