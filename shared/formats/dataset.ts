import type { JsonObject, JsonValue } from '../containers/container.ts'
import { roleKind } from '../model/roles.ts'
import type { Message } from '../model/trajectory.ts'
import { isObject, numbersOf } from './fields.ts'
import { contentText, messagesOf } from './messages.ts'
import { conversationOf } from './responses.ts'

/** A prompt as a dataset holds it, before anything was rolled out. */
export interface DatasetRow {
  /** The dataset's own id of the example, null where it has none. */
  readonly id: string | null
  /** Without what answers it; null where the dataset holds ids alone. */
  readonly messages: readonly Message[] | null
  /** Rendered and encoded, null where the dataset does not store that. */
  readonly ids: Int32Array | null
}

const IDS = ['prompt_ids', 'prompt_token_ids', 'raw_prompt_ids', 'input_ids', 'token_ids']
const PROMPTS = [
  'prompt',
  'raw_prompt',
  'messages',
  'conversations',
  'conversation',
  'question',
  'problem',
  'query',
  'instruction',
  'input',
  'prompt_text',
  'text',
]
const NAMES = ['example_id', 'prompt_idx', 'prompt_id', 'question_id', 'task_id', 'id', 'uid', 'index', 'idx']

/** Keys of a dataset whose lists of numbers are token ids. */
export const DATASET_NUMERIC_KEYS: ReadonlySet<string> = new Set(IDS)

/**
 * The prompt of one record, by the keys that datasets of verl (`prompt`, `extra_info.index`), NeMo-Gym (`responses_create_params`),
 * verifiers (`question`, `prompt`) and ShareGPT (`conversations`) use; null where it has none.
 */
export function datasetRow(record: JsonObject): DatasetRow | null {
  const ids = IDS.map((key) => idsOf(record[key])).find((found) => found !== null) ?? null
  const messages =
    PROMPTS.map((key) => promptOf(record[key] ?? null)).find((found) => found !== null) ?? requestOf(record)
  if (messages === null && ids === null) return null
  return { id: nameOf(record), messages, ids }
}

function idsOf(value: JsonValue | undefined): Int32Array | null {
  const numbers = numbersOf(value)
  return numbers === null || numbers.length === 0 ? null : Int32Array.from(numbers)
}

function promptOf(value: JsonValue): readonly Message[] | null {
  if (typeof value === 'string') {
    const messages = messagesOf(value)
    if (messages !== null) return unanswered(messages)
    return value.trim() === '' ? null : [{ role: 'user', content: value }]
  }
  if (!Array.isArray(value)) return null
  return unanswered(messagesOf(value) ?? fromAndValue(value) ?? [])
}

/** `{from: human, value: …}`, as ShareGPT writes messages. */
function fromAndValue(list: readonly JsonValue[]): Message[] | null {
  const messages: Message[] = []
  for (const entry of list) {
    if (!isObject(entry) || typeof entry.from !== 'string') return null
    messages.push({ role: entry.from, content: contentText(entry.value ?? null) })
  }
  return messages
}

/** Datasets for imitation end with the answer, which is no part of the prompt. */
function unanswered(messages: readonly Message[]): readonly Message[] | null {
  const last = messages.findLastIndex(({ role }) => roleKind(role) !== 'assistant')
  return last < 0 ? null : messages.slice(0, last + 1)
}

function requestOf({ responses_create_params: request }: JsonObject): readonly Message[] | null {
  if (!isObject(request)) return null
  const { input, instructions } = request
  const asked =
    typeof input === 'string'
      ? promptOf(input)
      : Array.isArray(input)
        ? unanswered(conversationOf(input, () => false).messages)
        : null
  if (asked === null || typeof instructions !== 'string' || instructions === '') return asked
  return [{ role: 'system', content: instructions }, ...asked]
}

function nameOf(record: JsonObject): string | null {
  const { extra_info: extra } = record
  for (const value of [...NAMES.map((key) => record[key]), isObject(extra) ? extra.index : null]) {
    if (typeof value === 'string' && value !== '') return value
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  }
  return null
}
