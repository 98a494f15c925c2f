import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Limits } from '../model/streams.ts'
import type { Message, RecordIssue, Trajectory } from '../model/trajectory.ts'
import { Fields, isObject } from './fields.ts'
import { firstText } from './messages.ts'
import { PREFIX_BROKEN } from './model-calls.ts'
import { foldInfo, foldStreams } from './prime-annotations.ts'
import { common } from './prime-streams.ts'
import type { OneRecord } from './read-each.ts'
import { NO_INTEGER } from './sequence.ts'
import { branchStreams, noneTrained } from './verifiers-v1-branch.ts'
import { firstToSay, type GraphNode, partsAt, pathsOf, readNodes } from './verifiers-v1-graph.ts'

/** Why a trace was stopped by a limit (`Trace.is_truncated`; `compaction_failed` since prime-rl 0.9.1). */
const TRUNCATING = new Set([
  'max_turns',
  'max_input_tokens',
  'max_output_tokens',
  'max_total_tokens',
  'context_length',
  'compaction_failed',
])

const KEPT = [
  'version',
  'verifiers',
  'request_rewrites',
  'response_rewrites',
  'metrics',
  'extra_usage',
  'is_completed',
  'stop_condition',
  'errors',
  'timing',
  'runtime',
  'root_reply',
  'is_timeout',
  'payload',
  'mm_token_type_id_map',
  'num_input_tokens',
  'num_output_tokens',
  'num_total_tokens',
]

const NODE_FIELDS = new Set([
  'parent',
  'message',
  'sampled',
  'timestamp',
  'token_ids',
  'mask',
  'is_content',
  'logprobs',
  'advantages',
  'reference_logprobs',
  'trainer_logprobs',
  'entropies',
  'is_masked',
  'loss_weights',
  'multi_modal_data',
  'routed_experts',
  'kept_tokens',
  'sampling_mask',
  'tools',
  'semantic_parents',
  'finish_reason',
  'usage',
])

/** Keys with one value for each token of a node, or for each sampled one. */
export const NODE_NUMBERS = [
  'token_ids',
  'mask',
  'is_content',
  'logprobs',
  'advantages',
  'reference_logprobs',
  'trainer_logprobs',
  'entropies',
  'is_masked',
  'rl',
  'ce',
  'ref_kl',
]

/** What an episode, or the trainer that keeps the trace, says of all of it. */
export interface TraceContext {
  readonly group: string | null
  readonly step: number | null
  /** First and last version of the policy while it was generated; null where that is not said. */
  readonly policy: { readonly start: number; readonly end: number } | null
  readonly advantage: number | null
  /** The trainer leaves the whole trace out. */
  readonly excluded: boolean
  readonly meta: Readonly<Record<string, unknown>>
}

/**
 * The branches of one trace, each a trajectory; numbered from `firstPart` on.
 *
 * @param updates what the trainer learned of it later, in the order in which that was written
 */
export function readTrace(
  record: OneRecord,
  object: JsonObject,
  firstPart: number,
  contextOf: (trace: JsonObject) => TraceContext,
  updates: readonly JsonObject[] = [],
): Trajectory[] {
  const updated = updates.length === 0 ? object : { ...object, info: foldInfo(object.info, updates) }
  const fields = new Fields(updated)
  const context = contextOf(updated)
  const written = readNodes(fields.list('nodes') ?? [])
  const calls = (fields.list('calls') ?? []).filter(isObject)
  const paths = pathsOf(written)
  const nodes = updates.length === 0 ? written : foldStreams(written, paths, updates)
  const id = fields.text('id')
  const rewards = rewardsOf(fields)
  const tools = fields.list('tools')
  const agent = fields.objectAt('agent')
  const answer = taskData(fields.objectAt('task'))?.answer
  // Taken from what holds the trace; a part of what is shown with it.
  const info = fields.objectAt('info')
  fields.take('run')
  const failed = fields.boolean('ok') === false && (fields.list('errors')?.length ?? 0) > 0
  const stop = fields.text('stop_condition')
  const { meta, unknown } = fields.rest(KEPT)
  record.drift([...unknown, ...unknownOfNodes(nodes)])
  const last = lastSampled(nodes)
  const trained = noneTrained()
  const accepted = acceptedCompactions(nodes)
  const said = messagesOf(nodes, calls)
  const prefixes = paths.length > 1 ? new Prefixes(nodes) : null
  return (paths.length === 0 ? [[]] : paths).map((path, branch): Trajectory => {
    const blank = record.blank(firstPart + branch)
    const own = id === null ? blank.id : branch === 0 ? id : `${id}.${branch}`
    const issues = [
      ...(branch === 0 ? fields.issues : []),
      ...path.flatMap((index) => (nodes[index] as GraphNode).issues),
    ]
    const left = isLeft(path, nodes, accepted)
    // A branch that the trainer leaves out takes no reply from those that it trains.
    const streams = branchStreams(nodes, path, left ? noneTrained() : trained, issues)
    const onPath = new Set(path)
    const made = calls.filter(({ node }) => typeof node === 'number' && onPath.has(node))
    const finish = finishOf(path, nodes, made)
    const messages = path.flatMap((index) => said[index] ?? [])
    const broken = streams?.ids ? (prefixes?.add(path, streams.ids) ?? null) : null
    if (broken !== null) issues.push(broken)
    const ends = last < 0 || onPath.has(last)
    const { context: shared = [], unmarked = false, dropped = null, ...tokens } = streams ?? {}
    return {
      ...blank,
      ...tokens,
      id: own,
      rolloutId: id,
      branch: paths.length > 1 ? String(branch) : null,
      group: context.group,
      step: context.step,
      model: modelOf(made, calls, agent),
      temperature: temperatureOf(made, agent),
      // A branch without a token to train is no sample; one whose own replies its masks leave out may have wrong masks (M04).
      excluded: context.excluded || left || (streams?.mask ? !streams.mask.includes(1) && !unmarked : false),
      versions: versionsOf(streams?.sampled ?? null, context.policy),
      advantage: streams?.advantages ? null : context.advantage,
      reward: rewards.total,
      rewards: rewards.parts,
      messages: messages.length === 0 ? null : messages,
      tools: toolsOf(path, nodes) ?? (tools === null || tools.length === 0 ? null : tools),
      answer: typeof answer === 'string' ? answer : null,
      finishReason: finish ?? stop,
      isTruncated:
        stop === null && finish === null ? null : (ends && TRUNCATING.has(stop ?? '')) || finish === 'length',
      limits: limitsOf(agent, made),
      issues,
      meta: {
        ...meta,
        ...context.meta,
        ...(agent === null ? {} : { agent: agent.name ?? 'agent' }),
        ...(info === null || Object.keys(info).length === 0 ? {} : { info }),
        ...(failed ? { failed } : {}),
        ...(shared.length === 0 ? {} : { context_nodes: shared }),
        ...(dropped === null ? {} : { is_masked: Float64Array.from(dropped) }),
      },
    }
  })
}

/** Attempts to compact the history that the conversation went on from; harnesses say so since September 2026. */
function acceptedCompactions(nodes: readonly GraphNode[]): ReadonlySet<JsonValue> {
  const accepted = new Set<JsonValue>()
  for (const { object } of nodes) {
    for (const { type, node } of linksOf(object)) if (type === 'compaction' && node !== undefined) accepted.add(node)
  }
  return accepted
}

/** An attempt to compact the history that nothing went on from is no sample (`Branch.trainable`). */
function isLeft(path: readonly number[], nodes: readonly GraphNode[], accepted: ReadonlySet<JsonValue>): boolean {
  const leaf = path.at(-1)
  if (leaf === undefined || accepted.has(leaf)) return false
  return linksOf((nodes[leaf] as GraphNode).object).some(({ type }) => type === 'compaction_attempt')
}

function linksOf({ semantic_parents: links }: JsonObject): readonly JsonObject[] {
  return Array.isArray(links) ? links.filter(isObject) : []
}

/** Those of the branch's own prompt, which its root has since September 2026. */
function toolsOf(path: readonly number[], nodes: readonly GraphNode[]): JsonValue[] | null {
  const tools = nodes[path[0] ?? -1]?.object.tools
  return Array.isArray(tools) && tools.length > 0 ? tools : null
}

/** Rewards by name with their weight applied; until July 2026 they were stored that way. */
function rewardsOf(fields: Fields): { readonly total: number | null; readonly parts: Record<string, number> | null } {
  const parts: [string, number][] = []
  for (const [name, value] of Object.entries(fields.objectAt('rewards') ?? {})) {
    // Null: scoring did not run.
    if (value === null) continue
    const score = isObject(value) ? value.score : value
    const weight = isObject(value) ? (value.weight ?? 1) : 1
    if (typeof score === 'number' && typeof weight === 'number' && !Number.isNaN(score * weight)) {
      parts.push([name, score * weight])
    } else fields.issue('bad-type', `rewards.${name}`, `rewards.${name} is no reward with a score and a weight`)
  }
  if (parts.length === 0) return { total: null, parts: null }
  return { total: parts.reduce((sum, [, value]) => sum + value, 0), parts: Object.fromEntries(parts) }
}

/** The row of the data set: until July 2026 the task itself. */
export function taskData(task: JsonObject | null): JsonObject | null {
  if (task === null) return null
  return isObject(task.data) ? task.data : task
}

function unknownOfNodes(nodes: readonly GraphNode[]): string[] {
  const unknown = new Set<string>()
  for (const { object } of nodes) {
    for (const key of Object.keys(object)) if (!NODE_FIELDS.has(key)) unknown.add(`nodes[].${key}`)
  }
  return [...unknown]
}

function lastSampled(nodes: readonly GraphNode[]): number {
  return nodes.findLastIndex(({ sampled }) => sampled)
}

/** Why the model stopped last on this branch; until July 2026 the node says it. */
function finishOf(path: readonly number[], nodes: readonly GraphNode[], calls: readonly JsonObject[]): string | null {
  const call = calls.findLast(({ error }) => error === undefined || error === null)
  if (typeof call?.finish_reason === 'string') return call.finish_reason
  const node = path.findLast((index) => nodes[index]?.sampled)
  const said = node === undefined ? null : nodes[node]?.object.finish_reason
  return typeof said === 'string' ? said : null
}

/** What each node says, and why the model stopped there; until July 2026 the node itself says that. */
function messagesOf(nodes: readonly GraphNode[], calls: readonly JsonObject[]): (Message | null)[] {
  const reasons = new Map<JsonValue, JsonValue>()
  for (const { node, error, finish_reason } of calls) {
    if (node !== undefined && finish_reason !== undefined && (error ?? null) === null) reasons.set(node, finish_reason)
  }
  return nodes.map(({ message, sampled, object }, index) => {
    const reason = reasons.get(index) ?? object.finish_reason
    return message !== null && sampled && typeof reason === 'string' ? { ...message, finishReason: reason } : message
  })
}

function modelOf(own: readonly JsonObject[], all: readonly JsonObject[], agent: JsonObject | null): string | null {
  const names = new Set(
    (own.length > 0 ? own : all).map(({ model }) => model).filter((model) => typeof model === 'string'),
  )
  if (names.size === 1) return [...names][0] as string
  return names.size === 0 && isObject(agent?.config) ? firstText(agent.config, ['model']) : null
}

function samplingOf(object: JsonValue | undefined): JsonObject | null {
  return isObject(object) && isObject(object.sampling) ? object.sampling : null
}

function temperatureOf(calls: readonly JsonObject[], agent: JsonObject | null): number | null {
  const told = calls.flatMap((call) => samplingOf(call)?.temperature ?? []).filter((value) => typeof value === 'number')
  if (told.length > 0) return common(told)
  const configured = samplingOf(agent?.config)?.temperature
  return typeof configured === 'number' ? configured : null
}

function limitsOf(agent: JsonObject | null, calls: readonly JsonObject[]): Partial<Limits> | null {
  const config = isObject(agent?.config) ? agent.config : {}
  const limits: Partial<Limits> = {}
  if (typeof config.max_turns === 'number') limits.max_turns = config.max_turns
  // The limit is one call's. It is the rollout's where there was one call.
  const tokens = (calls.length === 1 ? samplingOf(calls[0]) : null)?.max_tokens
  if (typeof tokens === 'number') limits.max_completion_length = tokens
  return Object.keys(limits).length === 0 ? null : limits
}

/** Only where one version wrote all of it: which token is of which is not stored. */
export function versionsOf(sampled: Uint8Array | null, policy: TraceContext['policy']): Int32Array | null {
  if (sampled === null || policy === null || policy.start !== policy.end) return null
  const versions = new Int32Array(sampled.length)
  for (let i = 0; i < versions.length; i++) versions[i] = sampled[i] === 1 ? policy.start : NO_INTEGER
  return versions
}

/** Which branch went through a message first, and what its tokens were. */
class Prefixes {
  private readonly nodes: readonly GraphNode[]
  private readonly first: Int32Array
  private readonly seen = new Map<number, { readonly node: number; readonly ids: Int32Array }>()

  constructor(nodes: readonly GraphNode[]) {
    this.nodes = nodes
    this.first = firstToSay(nodes)
  }

  /**
   * Adds a branch. An issue where it leaves an earlier one at a message that says the same in other tokens: the prompt of a later
   * call was encoded or rendered anew, and no longer begins with what was sampled.
   */
  add(path: readonly number[], ids: Int32Array): RecordIssue | null {
    let issue: RecordIssue | null = null
    for (const node of path) {
      const said = this.first[node] as number
      const earlier = this.seen.get(said)
      if (earlier === undefined) this.seen.set(said, { node, ids })
      else if (earlier.node !== node && !this.areSame(node, earlier.node)) {
        issue ??= this.issueOf(node, earlier.node, partsAt(ids, earlier.ids))
      }
    }
    return issue
  }

  private areSame(a: number, b: number): boolean {
    const [own, other] = [(this.nodes[a] as GraphNode).ids, (this.nodes[b] as GraphNode).ids]
    return own.length === other.length && partsAt(own, other) === own.length
  }

  private issueOf(node: number, earlier: number, at: number): RecordIssue {
    const [own, other] = [this.nodes[node] as GraphNode, this.nodes[earlier] as GraphNode]
    return {
      code: PREFIX_BROKEN,
      field: `${own.name}.token_ids`,
      message: `${own.name} says what ${other.name} says in other tokens: from token ${at} on the prompt of a later call is not what was sampled before, so it is a branch of its own`,
    }
  }
}
