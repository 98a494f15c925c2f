import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields, isList, isObject } from './fields.ts'
import { messageOf } from './messages.ts'
import type { OneRecord } from './read-each.ts'
import { readIds, SequenceArrays, UNKNOWN } from './sequence.ts'

/**
 * The message logs of a record: its own, or those in a list under `expected_output`, as the project's tests keep them.
 * Null where there is none.
 */
export function messageLogsOf(record: JsonObject): JsonObject[] | null {
  if (isMessageLog(record.message_log)) return [record]
  const wrapped = record.expected_output
  if (!Array.isArray(wrapped) || wrapped.length === 0) return null
  const logs = wrapped.filter((entry): entry is JsonObject => isObject(entry) && isMessageLog(entry.message_log))
  return logs.length === wrapped.length ? logs : null
}

function isMessageLog(value: JsonValue | undefined): value is JsonObject[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry) => isObject(entry) && typeof entry.role === 'string' && isList(entry.token_ids))
  )
}

/** One trajectory for each log: the tokens of its messages, one after the other. */
export function readMessageLogs(record: OneRecord, logs: readonly JsonObject[]): Trajectory[] {
  const outer = new Fields(record.object)
  outer.take('message_log')
  outer.take('input_message_log')
  const wrapped = !Object.hasOwn(record.object, 'message_log')
  if (wrapped) outer.take('expected_output')
  const reward = outer.number('total_reward')
  const { meta, unknown } = outer.rest()
  record.drift(unknown)
  return logs.map((log, part) => {
    const trajectory = readLog(record, log, part)
    return wrapped ? trajectory : { ...trajectory, reward, meta }
  })
}

interface Piece {
  readonly ids: Int32Array
  readonly entry: JsonObject
  readonly role: string
}

function readLog(record: OneRecord, log: JsonObject, part: number): Trajectory {
  const fields = new Fields(log)
  const pieces: Piece[] = (log.message_log as JsonObject[]).map((entry, i) => ({
    ids: readIds(`message_log[${i}].token_ids`, entry.token_ids ?? null, fields.issues),
    entry,
    role: entry.role as string,
  }))
  const length = pieces.reduce((sum, { ids }) => sum + ids.length, 0)
  const arrays = new SequenceArrays(length, fields.issues)
  const ids = new Int32Array(length)
  const sampled = new Uint8Array(length)
  const mask = new Uint8Array(length).fill(UNKNOWN)
  const sampler = new Float32Array(length).fill(Number.NaN)
  let masked = false
  let scored = false
  let generated = false
  let at = 0
  let promptLength: number | null = null
  for (const [i, piece] of pieces.entries()) {
    const end = at + piece.ids.length
    ids.set(piece.ids, at)
    const logprobs = piece.entry.generation_logprobs ?? null
    if (piece.role === 'assistant') promptLength ??= at
    // An assistant turn without logprobs of its own is history that came with the prompt.
    if (piece.role === 'assistant' && logprobs !== null) {
      generated = true
      sampled.fill(1, at, end)
      scored = arrays.placeFloats(sampler, `message_log[${i}].generation_logprobs`, logprobs, at, end) || scored
    }
    const trained = piece.entry.token_loss_mask ?? null
    masked = arrays.placeFlags(mask, `message_log[${i}].token_loss_mask`, trained, at, end) || masked
    at = end
  }
  const messages = pieces.map(({ entry }) => messageOf(entry))
  // A log that came through NeMo-Gym keeps its texts elsewhere and leaves every content empty.
  const told = messages.some((message) => message !== null && message.content !== null && message.content !== '')
  return {
    ...record.blank(part),
    ids,
    promptLength,
    mask: masked ? mask : null,
    sampled: generated ? sampled : null,
    logprobs: { sampler: scored ? sampler : null, trainer: null, reference: null },
    messages: told ? messages.filter((message) => message !== null) : null,
    arrays: arrays.arrays,
    issues: fields.issues,
  }
}
