import type { Message, Trajectory } from '../../shared/model/trajectory.ts'
import type { ReadSource } from './read-source.ts'

/** What a source was read as, small enough for a person to check against the file. */
export function digest(read: ReadSource): string {
  const { container, format, recognition, records, skipped, drift, trajectories } = read
  return `${JSON.stringify(
    {
      container,
      format,
      version: recognition?.version,
      confidence: recognition?.confidence,
      evidence: recognition?.evidence,
      records,
      skipped: skipped.map(
        ({ record, line, byte, code, message }) => `record ${record}, line ${line}, byte ${byte}: ${code}: ${message}`,
      ),
      drift,
      trajectories: trajectories.map(trajectoryDigest),
    },
    null,
    2,
  )}\n`
}

function trajectoryDigest(trajectory: Trajectory): Record<string, unknown> {
  const { place, ids, logprobs, arrays, issues, meta } = trajectory
  const plain = (
    [
      'rolloutId',
      'branch',
      'group',
      'groupSize',
      'step',
      'model',
      'temperature',
      'promptLength',
      'advantage',
      'reward',
      'rewards',
      'tools',
      'documents',
      'answer',
      'finishReason',
      'isTruncated',
      'limits',
      'padding',
    ] as const
  ).flatMap((name) => {
    const value = trajectory[name]
    return value === null ? [] : [[name, Number.isNaN(value) ? 'NaN' : value] as const]
  })
  return present({
    id: trajectory.id,
    place: `${place.record}.${place.part}`,
    ...Object.fromEntries(plain),
    excluded: trajectory.excluded || null,
    length: ids?.length ?? null,
    ids: ids === null ? null : `${ids.slice(0, 8).join(' ')}${ids.length > 8 ? ` … ${ids.at(-1)}` : ''}`,
    trained: trajectory.mask === null ? null : trajectory.mask.filter((value) => value === 1).length,
    mask: runs(trajectory.mask),
    weights: runs(trajectory.weights),
    sampled: runs(trajectory.sampled),
    attentionMask: runs(trajectory.attentionMask),
    positionIds: trajectory.positionIds === null ? null : trajectory.positionIds.slice(0, 4).join(' '),
    versions: runs(trajectory.versions),
    sampler: runs(logprobs.sampler),
    trainer: runs(logprobs.trainer),
    reference: runs(logprobs.reference),
    entropy: runs(trajectory.entropy),
    kl: runs(trajectory.kl),
    advantages: runs(trajectory.advantages),
    messages: trajectory.messages?.map(messageDigest) ?? null,
    arrays: arrays.map(({ name, length, expected }) =>
      length === expected ? `${name} ${length}` : `${name} ${length}, not ${expected}`,
    ),
    issues: issues.map(({ code, field, message }) => `${code} (${field}): ${message}`),
    meta: Object.keys(meta).length === 0 ? null : Object.fromEntries(Object.entries(meta).map(shownMeta)),
  })
}

/** A field with a value for each token as its runs. */
function shownMeta([name, value]: [string, unknown]): [string, unknown] {
  return [name, value instanceof Int32Array || value instanceof Float64Array ? runs(value) : value]
}

/** `3×0 2×1`: how often each value stands in a row; `?` is not known, `-` not scored. */
function runs(values: ArrayLike<number> | null): string | null {
  if (values === null) return null
  const parts: string[] = []
  for (let start = 0; start < values.length; ) {
    let end = start + 1
    while (end < values.length && Object.is(values[end], values[start])) end++
    const value = values[start] as number
    const shown = Number.isNaN(value) ? '-' : value === 255 ? '?' : String(Number(value.toPrecision(6)))
    parts.push(end - start === 1 ? shown : `${end - start}×${shown}`)
    start = end
  }
  return parts.join(' ')
}

function messageDigest({ role, content, reasoning, toolCalls, toolCallId }: Message): string {
  return [
    `${role}:`,
    content === null ? '(null)' : JSON.stringify(content),
    ...(reasoning === undefined ? [] : [`thought ${JSON.stringify(reasoning)}`]),
    ...(toolCalls ?? []).map((call) => `calls ${call.name}(${call.arguments}) as ${call.id}`),
    ...(toolCallId === undefined ? [] : [`for ${toolCallId}`]),
  ].join(' ')
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0)),
  )
}
