import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { RecordIssue, Trajectory } from '../model/trajectory.ts'
import { isObject, kindOf, numbersOf } from './fields.ts'
import { COMPONENTS, creditOf, type LossComponents, trainedBy } from './prime-streams.ts'
import { SequenceArrays, UNKNOWN } from './sequence.ts'
import type { GraphNode } from './verifiers-v1-graph.ts'
import { contradictsTrace, type PlacedNode, sampledFlags, sampledTail } from './verifiers-v1-sampled.ts'

/** Which nodes earlier branches of the same trace have trained: the trainer trains each once, for each of its losses. */
export interface TrainedNodes {
  readonly sampled: Set<number>
  /** Replies of earlier branches, trained or not. */
  readonly replies: Set<number>
  readonly rl: Set<number>
  readonly ce: Set<number>
  readonly refKl: Set<number>
}

export function noneTrained(): TrainedNodes {
  return { sampled: new Set(), replies: new Set(), rl: new Set(), ce: new Set(), refKl: new Set() }
}

type BranchStreams = Pick<
  Trajectory,
  'ids' | 'promptLength' | 'mask' | 'weights' | 'sampled' | 'logprobs' | 'noneDue' | 'entropy' | 'advantages' | 'arrays'
> & {
  /** Indices of sampled nodes that are context here, because an earlier branch trains them. */
  readonly context: readonly number[]
  /** No message's mask marks anything, though the trace says that the model wrote some of them. */
  readonly unmarked: boolean
  /** 1 on tokens that the trust region dropped from the loss, after the mask. */
  readonly dropped: Float32Array | null
}

/** Names of the streams that hold one value for each sampled token of a node. */
const COMPACT = {
  sampler: 'logprobs',
  trainer: 'trainer_logprobs',
  reference: 'reference_logprobs',
  entropy: 'entropies',
  advantages: 'advantages',
  dropped: 'is_masked',
} as const

/**
 * The sequence of one branch as the loss sees it (prime-rl, src/prime_rl/orchestrator/trajectories.py, `iter_trainable_branches`): a
 * sampled node that an earlier branch holds too is context here. Null where the tokens of some message are not known.
 */
export function branchStreams(
  nodes: readonly GraphNode[],
  path: readonly number[],
  trained: TrainedNodes,
  issues: RecordIssue[],
): BranchStreams | null {
  const members = path.map((index) => nodes[index] as GraphNode)
  const length = members.reduce((sum, { ids }) => sum + ids.length, 0)
  if (length === 0 || members.some(({ broken }) => broken)) return null
  const silent = members.find(({ sampled, ids }) => sampled && ids.length === 0)
  if (silent !== undefined) {
    issues.push({
      code: 'no-tokens',
      field: `${silent.name}.token_ids`,
      message: `${silent.name} was sampled and has no token_ids: the sequence that it stands in is not known`,
    })
    return null
  }
  const arrays = new SequenceArrays(length, issues)
  const ids = new Int32Array(length)
  const placed: PlacedNode[] = []
  const marks = new Uint8Array(length).fill(UNKNOWN)
  const mask = new Uint8Array(length).fill(UNKNOWN)
  const found: Partial<Record<keyof typeof COMPACT, Float32Array>> = {}
  const components: { -readonly [Name in keyof LossComponents]: LossComponents[Name] } = {
    rl: null,
    ce: null,
    refKl: null,
  }
  const context: number[] = []
  /** Of a node the trainer's notes may say nothing. */
  let unscored: Uint8Array | null = null
  let masked = false
  let promptLength: number | null = null
  let beginsUnmarked = false
  let at = 0
  for (const [i, node] of members.entries()) {
    const index = path[i] as number
    const end = at + node.ids.length
    ids.set(node.ids, at)
    masked = arrays.placeFlags(marks, `${node.name}.mask`, node.object.mask ?? null, at, end) || masked
    const own = marks.subarray(at, end)
    const shared = own.includes(1) && trained.sampled.has(index)
    placed.push({ node, at, marks: own, shared })
    mask.set(own, at)
    if (shared) {
      context.push(index)
      for (let t = at; t < end; t++) if (mask[t] === 1) mask[t] = 0
    } else if (own.includes(1)) trained.sampled.add(index)
    const tail = sampledTail({ node, marks: own })
    if (!shared && node.object.sampled !== false && (tail !== null || own.includes(1))) {
      promptLength ??= tail === null ? at + own.indexOf(1) : end - tail
    } else if (promptLength === null && node.sampled && !shared && !trained.replies.has(index)) beginsUnmarked = true
    if (node.sampled) trained.replies.add(index)
    for (const [stream, key] of Object.entries(COMPACT) as [keyof typeof COMPACT, string][]) {
      const values = compactValues(node, key, own, arrays, issues)
      if (values === null) {
        if (stream === 'trainer') (unscored ??= new Uint8Array(length)).fill(1, at, end)
        continue
      }
      found[stream] ??= new Float32Array(length).fill(Number.NaN)
      // Where the mask leaves out some of what was sampled, values for all of it stand behind the generation prompt.
      if (tail === values.length) found[stream].set(values, end - tail)
      else spread(values, own, found[stream].subarray(at, end))
    }
    placeWeights(node, index, at, { length, trained, components, arrays, issues })
    at = end
  }
  const loss = masked ? trainedBy(mask, components) : null
  const sampled = masked ? sampledFlags(placed, length) : null
  const credit = creditOf(found.advantages ?? null, mask, components)
  return {
    ids,
    // Told by the mask alone, it is no better than the mask: a reply that is not marked is none of the prompt.
    promptLength: beginsUnmarked || contradictsTrace(placed) ? null : promptLength,
    mask: loss?.mask ?? null,
    weights: loss?.weights ?? null,
    sampled,
    logprobs: { sampler: found.sampler ?? null, trainer: found.trainer ?? null, reference: found.reference ?? null },
    entropy: found.entropy ?? null,
    advantages: credit.advantages,
    noneDue: { ...credit.noneDue, trainer: unscored },
    arrays: arrays.arrays,
    context,
    unmarked: sampled !== null && !marks.includes(1) && sampled.includes(1),
    dropped: found.dropped ?? null,
  }
}

/** A node's values for its sampled tokens; null where it has none. */
function compactValues(
  { name, object }: GraphNode,
  key: string,
  mask: Uint8Array,
  arrays: SequenceArrays,
  issues: RecordIssue[],
): ArrayLike<number> | null {
  const value = object[key] ?? null
  if (value === null) return null
  const field = `${name}.${key}`
  const numbers = numbersOf(value)
  if (numbers === null) {
    issues.push({ code: 'bad-type', field, message: `${field} is ${kindOf(value)}, but not one of numbers only` })
    return null
  }
  if (numbers.length === 0) return null
  let expected = 0
  for (let i = 0; i < mask.length; i++) if (mask[i] === 1) expected++
  arrays.arrays.push({ name: field, length: numbers.length, expected })
  if (numbers.length !== expected) {
    issues.push({
      code: 'length-mismatch',
      field,
      message: `${field} has ${numbers.length} entries, its mask marks ${expected} tokens`,
    })
  }
  return numbers
}

/** NaN where nothing was sampled, or nothing is stored for what was. */
function spread(values: ArrayLike<number>, mask: Uint8Array, target: Float32Array): void {
  let next = 0
  for (let i = 0; i < mask.length && next < values.length; i++) {
    if (mask[i] === 1) target[i] = values[next++] as number
  }
}

interface WeightTarget {
  readonly length: number
  readonly trained: TrainedNodes
  readonly components: { rl: Float32Array | null; ce: Float32Array | null; refKl: Float32Array | null }
  readonly arrays: SequenceArrays
  readonly issues: RecordIssue[]
}

/** Weights have a value for each token of a node, sampled or not; 0 where another node of the branch has some. */
function placeWeights(node: GraphNode, index: number, at: number, target: WeightTarget): void {
  const weights = weightsOf(node.object)
  if (weights === null) return
  for (const component of ['rl', 'ce', 'refKl'] as const) {
    const key = COMPONENTS[component].replace('_weights', '')
    const value: JsonValue = weights[key] ?? null
    const own = new Float32Array(node.ids.length)
    if (!target.arrays.placeFloats(own, `${node.name}.loss_weights.${key}`, value, 0, own.length)) continue
    if (target.trained[component].has(index)) continue
    if (!own.some((weight) => weight !== 0 && !Number.isNaN(weight))) continue
    target.trained[component].add(index)
    target.components[component] ??= new Float32Array(target.length)
    target.components[component].set(own, at)
  }
}

function weightsOf({ loss_weights: weights }: JsonObject): JsonObject | null {
  return isObject(weights) ? weights : null
}
