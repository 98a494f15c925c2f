import type { JsonObject, JsonValue } from '../containers/container.ts'
import { hashValue } from '../containers/value-hash.ts'
import type { Message, Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isObject } from './fields.ts'
import { messagesOf, readMessages } from './messages.ts'
import type { OneRecord } from './read-each.ts'
import { hasAll } from './recognise.ts'

/**
 * A row of the conversations that miles keeps beside its rollout dumps, whose samples then have none (miles/ray/rollout/debug_data.py,
 * save_debug_trajectory_data).
 */
export function isConversation(record: JsonObject): boolean {
  return hasAll(record, ['sample_index', 'group_index', 'status', 'prompt']) && Array.isArray(record.messages)
}

/**
 * By which a conversation and its sample are found. A sample's index is that of a question in an evaluation, so that the same one comes at
 * every step and in training too: with its group, its prompt and how it ended it is the same rollout.
 */
export function conversationKeys(record: JsonObject): string[] {
  if (isConversation(record)) return [keyOf(record, record.sample_index ?? null)]
  const samples = Array.isArray(record.samples) ? record.samples.filter(isObject) : []
  return samples.map((sample) => keyOf(sample, sample.index ?? null))
}

function keyOf({ group_index = null, status = null, prompt = null }: JsonObject, index: JsonValue): string {
  return hashValue([index, group_index, status, prompt])
}

/**
 * The messages of a sample, from its own metadata, from the conversation beside it, or as its prompt has them: all of them where they are
 * trained on as they are (slime/rollout/sft_rollout.py), else those before the response.
 */
export function conversationOf(
  sample: JsonObject,
  joined: ReadonlyMap<string, readonly JsonObject[]> | null,
): Message[] | null {
  const own = isObject(sample.metadata) ? sample.metadata.messages : null
  const beside = joined?.get(keyOf(sample, sample.index ?? null))
  // Two that cannot be told apart are none.
  const found = own ?? (beside?.length === 1 ? beside[0]?.messages : null)
  const messages = messagesOf(found ?? sample.prompt ?? null)
  return messages !== null && messages.length > 0 ? messages : null
}

/** A conversation that stands alone is a rollout of texts. */
export function readConversation(record: OneRecord): Trajectory {
  const fields = new Fields(record.object)
  const messages = readMessages(fields, 'messages')
  if (messages === null) throw new BadRecord('no-messages', 'the conversation has no messages')
  const blank = record.blank(0)
  const status = fields.text('status')
  const trajectory: Trajectory = {
    ...blank,
    id: fields.text('sample_index') ?? blank.id,
    group: fields.text('group_index'),
    reward: fields.number('reward'),
    messages,
    finishReason: status === 'pending' ? null : status,
    isTruncated: status === 'truncated' ? true : status === 'completed' ? false : null,
    issues: fields.issues,
  }
  const { meta, unknown } = fields.rest(['prompt'])
  record.drift(unknown)
  return { ...trajectory, meta }
}
