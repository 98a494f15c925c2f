import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { formatById } from '../formats/registry.ts'
import { counted } from '../model/number-text.ts'
import type { PolicyId } from '../model/policy.ts'
import type { Report } from '../model/report.ts'
import { hasNaNAdvantage, type Trajectory } from '../model/trajectory.ts'
import { chatMessage } from './chat-message.ts'
import {
  bySource,
  type ExportedTrajectory,
  type ExportInput,
  type ExportKind,
  type ExportSink,
  type ReadTrajectory,
  type WrittenFile,
} from './export-kind.ts'
import { exportFileNames } from './file-names.ts'
import { jsonText } from './json-text.ts'
import { SourceNumbers } from './source-numbers.ts'

/** Mask entry of a token that the dump's shorter mask array does not reach. */
const UNKNOWN = 255

const name = ({ report }: ExportInput, source: number) =>
  exportFileNames(report.sources, 'native.jsonl')[source] as string

/**
 * The chosen trajectories as `rollout-inspector.trajectory/1`, one JSON line each, one file per source. Masks are
 * token-aligned. Numbers are those of the source's record, not the 32-bit copies that the audit works on.
 */
export const nativeExport: ExportKind = {
  id: 'native',
  title: 'Native format, rollout-inspector.trajectory/1',
  names: async (input) => [...bySource(input).keys()].map((source) => name(input, source)),
  async write(input, sink) {
    const files: WrittenFile[] = []
    const odd = noOddRollouts()
    for (const [source, indices] of bySource(input)) {
      files.push(await writeNative(input, { source, indices, name: name(input, source) }, sink, odd))
    }
    return { files, notes: nativeNotes(input, odd) }
  },
}

/** Writes the chosen trajectories of one source. */
export async function writeNative(
  input: ExportInput,
  { source, indices, name }: { source: number; indices: readonly number[]; name: string },
  sink: ExportSink,
  odd: OddRollouts,
): Promise<WrittenFile> {
  const encoder = new TextEncoder()
  const writer = await sink.open(name)
  let records = 0
  for await (const loaded of input.origin.read(indices)) {
    const row = nativeRow(input, loaded, odd)
    if (row === null) continue
    await writer.write(encoder.encode(`${jsonText(row)}\n`))
    records++
  }
  await writer.close()
  return { name, source, records, trajectories: records }
}

/** Rollouts of which a reader should know something; counted while they are written. */
export interface OddRollouts {
  excluded: number
  textOnly: number
  empty: number
  /** Sources of those that were written. */
  readonly sources: Set<number>
}

export function noOddRollouts(): OddRollouts {
  return { excluded: 0, textOnly: 0, empty: 0, sources: new Set() }
}

/** A chosen trajectory as an object of the native format; null where it holds neither ids nor messages. */
export function nativeRow(
  { origin }: ExportInput,
  loaded: ReadTrajectory,
  odd: OddRollouts,
): Record<string, unknown> | null {
  const { ids, messages, excluded } = loaded.trajectory
  if (ids === null && messages === null) {
    odd.empty++
    return null
  }
  if (excluded) odd.excluded++
  if (ids === null) odd.textOnly++
  odd.sources.add(loaded.trajectory.place.source)
  return nativeRecord(loaded, origin.facts[loaded.index]!)
}

export function nativeNotes(input: ExportInput, odd: OddRollouts): string[] {
  const notes: string[] = []
  if (odd.excluded > 0) {
    notes.push(
      `${counted(odd.excluded, 'rollout')} that the source excludes from the loss as a whole: written with a zero loss_mask and meta.excluded true.`,
    )
  }
  if (odd.textOnly > 0)
    notes.push(`${counted(odd.textOnly, 'rollout')} without token ids in the source: without input_ids here.`)
  if (odd.empty > 0) notes.push(`${counted(odd.empty, 'rollout')} with neither token ids nor messages: left out.`)
  if (input.report.policy.mask_alignment === 'target') {
    notes.push('The source marks predictions (target alignment); loss_mask here marks the predicted tokens themselves.')
  }
  return [...notes, ...policyNotes(input, odd.sources)]
}

/** Rows that are read again are judged as of plain RL, unless a policy is given. */
function policyNotes({ report }: ExportInput, written: ReadonlySet<number>): string[] {
  const names = new Map<PolicyId, string[]>()
  for (const source of written) {
    const policy = policyOf(report, source)
    names.set(policy, [...(names.get(policy) ?? []), report.sources[source]!.name])
  }
  const isOne = names.size === 1
  return [...names]
    .filter(([policy]) => policy !== 'rl')
    .map(
      ([policy, of]) =>
        `The native format holds no policy: inspect ${isOne ? 'these rows' : `the rows of ${of.join(', ')}`} with --policy ${policy}, under which they were audited.`,
    )
}

/** Under which a source was audited: files of several trainers have one each. */
function policyOf({ policy, sources }: Report, source: number): PolicyId {
  if (policy.origin === 'given') return policy.id
  const { format } = sources[source]!
  return (format === null ? null : formatById(format.id)?.policy?.id) ?? 'rl'
}

/** One trajectory as an object of the native format; absent streams are absent fields. */
function nativeRecord(loaded: ExportedTrajectory, facts: TrajectoryFacts): Record<string, unknown> {
  const { trajectory } = loaded
  const numbers = new SourceNumbers(loaded.record.value)
  const scored = (stream: Float32Array | null) =>
    stream === null ? undefined : Array.from(numbers.restore(stream), (value) => (Number.isNaN(value) ? null : value))
  const { sampler, trainer, reference } = trajectory.logprobs
  return {
    schema: 'rollout-inspector.trajectory/1',
    id: trajectory.id,
    rollout_id: trajectory.rolloutId ?? undefined,
    branch: trajectory.branch ?? undefined,
    group_id: facts.group ?? undefined,
    group_size: facts.groupSize ?? undefined,
    step: trajectory.step ?? undefined,
    model: trajectory.model ?? undefined,
    temperature: trajectory.temperature ?? undefined,
    input_ids: trajectory.ids ?? undefined,
    loss_mask: lossMask(loaded, numbers),
    sampled: trajectory.sampled === null ? undefined : stored(trajectory.sampled, trajectory.sampled),
    attention_mask: trajectory.attentionMask ?? undefined,
    position_ids: trajectory.positionIds ?? undefined,
    sequence_ids: trajectory.sequenceIds ?? undefined,
    versions: trajectory.versions ?? undefined,
    prompt_length: trajectory.promptLength ?? undefined,
    logprobs:
      sampler === null && trainer === null && reference === null
        ? undefined
        : { sampler: scored(sampler), trainer: scored(trainer), reference: scored(reference) },
    entropy: scored(trajectory.entropy),
    kl: scored(trajectory.kl),
    advantage: trajectory.advantage ?? (hasNaNAdvantage(trajectory) ? Number.NaN : undefined),
    advantages: scored(trajectory.advantages),
    reward: trajectory.reward ?? undefined,
    rewards: trajectory.rewards ?? undefined,
    messages: trajectory.messages?.map((message) => ({
      ...chatMessage(message),
      finish_reason: message.finishReason,
      flattened: message.flattened,
    })),
    tools: trajectory.tools ?? undefined,
    documents: trajectory.documents?.map(({ id, title, text, supporting }) => ({
      id,
      title: title ?? undefined,
      text: text ?? undefined,
      supporting: supporting ?? undefined,
    })),
    answer: trajectory.answer ?? undefined,
    finish_reason: trajectory.finishReason ?? undefined,
    is_truncated: trajectory.isTruncated ?? undefined,
    limits: presentLimits(trajectory),
    meta: meta(trajectory),
  }
}

/** Token-aligned loss weights. */
function lossMask(loaded: ExportedTrajectory, numbers: SourceNumbers): ArrayLike<number | null> | undefined {
  const { trajectory, view } = loaded
  const mask = view?.mask ?? trajectory.mask
  if (mask === null) return undefined
  if (trajectory.excluded) return new Uint8Array(mask.length)
  const weights = view?.weights ?? trajectory.weights
  return stored(mask, weights === null ? mask : numbers.restore(weights))
}

/** The values of a 0/1 stream as far as the dump's own array reached; null where it says nothing in between. */
function stored(flags: Uint8Array, values: ArrayLike<number>): ArrayLike<number | null> {
  let end = flags.length
  while (end > 0 && flags[end - 1] === UNKNOWN) end--
  return Array.from({ length: end }, (_, i) => (flags[i] === UNKNOWN ? null : values[i]!))
}

function presentLimits(trajectory: Trajectory): Record<string, number> | undefined {
  const limits = Object.entries(trajectory.limits ?? {}).filter((entry): entry is [string, number] => entry[1] !== null)
  return limits.length === 0 ? undefined : Object.fromEntries(limits)
}

function meta(trajectory: Trajectory): Record<string, unknown> | undefined {
  const fields = trajectory.excluded ? { ...trajectory.meta, excluded: true } : trajectory.meta
  return Object.keys(fields).length === 0 ? undefined : fields
}
