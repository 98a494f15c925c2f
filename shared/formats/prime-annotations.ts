import type { JsonObject, JsonValue } from '../containers/container.ts'
import { isList, isObject, numbersOf } from './fields.ts'
import { hasAll } from './recognise.ts'
import type { GraphNode } from './verifiers-v1-graph.ts'

/** Streams over a branch that an update may carry; the nodes keep them under the same names. */
const STREAMS = ['advantages', 'trainer_logprobs', 'entropies', 'is_masked']
/** Null stands on tokens that no policy gradient reads. */
const WITH_GAPS = 'is_masked'

/** What prime-rl learned of a trace after it was written: one line of `traces/annotations/<producer>/`. */
export function isAnnotation(record: JsonObject): boolean {
  return typeof record.trace_id === 'string' && isObject(record.info) && Array.isArray(record.branches)
}

/** A line of `traces/stream.index.jsonl` or of an annotation index: where a record stands, and its numbers again. */
export function isIndexRow(record: JsonObject): boolean {
  if (typeof record.chunk !== 'number' || typeof record.offset !== 'number') return false
  return hasAll(record, ['line', 'trace_ids', 'kind']) || (typeof record.trace_id === 'string' && isObject(record.info))
}

/**
 * A line of `traces/live/<trace>.jsonl`: what a trace in flight gained (`DeltaStreamer` in verifiers/v1/serve/delta.py). When it is
 * finished it stands in the stream, and this file goes away.
 */
export function isDelta(record: JsonObject): boolean {
  const { trace, open, set, nodes, pending } = record
  return (
    typeof trace === 'string' && (isObject(open) || isObject(set) || Array.isArray(nodes) || Array.isArray(pending))
  )
}

/** A trace's `info` with that of its updates merged into it, in the order in which they were written: the newest wins. */
export function foldInfo(info: JsonValue | undefined, updates: readonly JsonObject[]): JsonObject {
  return updates.reduce<JsonObject>(
    (folded, update) => (isObject(update.info) ? merged(folded, update.info) : folded),
    isObject(info) ? info : {},
  )
}

function merged(old: JsonObject, newer: JsonObject): JsonObject {
  const values = Object.entries(newer).map(([key, value]): [string, JsonValue] => {
    const before = Object.hasOwn(old, key) ? old[key] : undefined
    return [key, isObject(before) && isObject(value) ? merged(before, value) : value]
  })
  return { ...old, ...Object.fromEntries(values) }
}

/**
 * The nodes with the streams of the updates, cut to their sampled tokens (`fold_trace_updates` in
 * src/prime_rl/monitors/file/traces/update.py). A node takes a stream where all of its sampled tokens have a value; the newest wins.
 */
export function foldStreams(
  nodes: readonly GraphNode[],
  paths: readonly (readonly number[])[],
  updates: readonly JsonObject[],
): readonly GraphNode[] {
  const folded = [...nodes]
  for (const { branches } of updates) {
    for (const branch of Array.isArray(branches) ? branches : []) {
      if (!isObject(branch) || typeof branch.index !== 'number') continue
      const path = paths[branch.index] ?? []
      for (const name of STREAMS) foldStream(folded, path, name, branch[name] ?? null)
    }
  }
  return folded
}

function foldStream(nodes: GraphNode[], path: readonly number[], name: string, value: JsonValue): void {
  const stream = isList(value) ? numbersOf(value) : null
  if (stream === null) return
  let at = 0
  for (const index of path) {
    const node = nodes[index] as GraphNode
    const end = at + node.ids.length
    if (end > stream.length) return
    const span = stream.subarray(at, end)
    at = end
    const mask = numbersOf(node.object.mask)
    const values = Float64Array.from(span).filter((_, i) => mask?.[i] === 1)
    const gaps = values.reduce((count, number) => count + (Number.isNaN(number) ? 1 : 0), 0)
    if (values.length === 0 || gaps === values.length || (gaps > 0 && name !== WITH_GAPS)) continue
    nodes[index] = { ...node, object: { ...node.object, [name]: values } }
  }
}
