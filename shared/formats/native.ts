import type { JsonObject, JsonValue } from '../containers/container.ts'
import { ENVIRONMENT_NAMES } from '../model/environment-names.ts'
import { LIMIT_NAMES, type Limits } from '../model/streams.ts'
import type { Message, RetrievedDocument, Trajectory } from '../model/trajectory.ts'
import { BadRecord, Fields, isObject, numbersOf } from './fields.ts'
import type { Format } from './format.ts'
import { type FieldMapping, mappedRecords, unfilledIssues, unreadLists } from './mapping.ts'
import { messagesOf, readMessages } from './messages.ts'
import { attendsPrompts } from './native-attended.ts'
import { nativeBranch } from './native-branch.ts'
import { withoutColumns } from './native-columns.ts'
import { mappedOver } from './native-mapping.ts'
import { isTrlRow, RESPONSE_MASKS } from './native-masks.ts'
import { nativeSequences } from './native-sequences.ts'
import { FULL_IDS, ID_PAIRS, readNativeTokens } from './native-tokens.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, recogniseBy } from './recognise.ts'
import { groupOfPrompt, textMessages } from './text-rows.ts'
import { TRL_LOGPROBS } from './trl-logprobs.ts'

const SCHEMA = 'rollout-inspector.trajectory/1'

/** The format that exports write, and the aliases that trainers' own dumps use for the same things. */
export const native: Format = {
  id: 'native',
  title: 'Rollout Inspector trajectories, or arrays of ids and masks under common names',
  writer: { project: 'rollout-inspector', file: 'shared/exports/native.ts', version: SCHEMA },
  streams: [
    'ids',
    'mask',
    'sampled',
    'attention_mask',
    'position_ids',
    'sequence_ids',
    'loss_weights',
    'messages',
    'tools',
    'documents',
    'answer',
    'logprobs.sampler',
    'logprobs.trainer',
    'logprobs.reference',
    'entropy',
    'kl',
    'advantages',
    'rewards',
    'reward_components',
    'group',
    'finish_reason',
    'limits',
    'versions',
    'step',
  ],
  numericKeys: [
    ...FULL_IDS,
    ...ID_PAIRS.flatMap(({ prompt, response }) => [prompt, response]),
    'loss_mask',
    ...RESPONSE_MASKS,
    'prompt_mask',
    'tool_mask',
    'labels',
    'sampled',
    'attention_mask',
    'position_ids',
    'sequence_ids',
    'versions',
    'advantages',
    ...TRL_LOGPROBS,
    'sampler',
    'trainer',
    'reference',
    'entropy',
    'kl',
  ],
  policy: null,
  maskAlignment: null,
  unsampledLogprob: null,
  maskImplied: false,
  groupsByOrder: false,
  recognise(sample) {
    const recognised = recogniseBy(sample, look)
    return recognised !== null && attendsPrompts(sample.records) ? { ...recognised, attendsPrompts: true } : recognised
  },
  read(records, context) {
    const { mapping, fieldMapping, attendsPrompts: attends = false } = context.recognition
    const own = mapping === undefined ? records : mappedRecords(records, mapping)
    return readEach(own, context, (record) =>
      nativeSequences(
        fieldMapping === undefined
          ? readRecord(record, mapping ?? null, attends)
          : readMappedOver(record, fieldMapping, attends),
      ),
    )
  },
}

function look(record: JsonObject): Evidence | null {
  const list = (key: string) => numbersOf(record[key]) !== null
  if (record.schema === SCHEMA) return { confidence: 1, seen: `schema ${SCHEMA}`, version: '1' }
  const mask = ['loss_mask', 'labels', ...RESPONSE_MASKS].find(list)
  const ids = FULL_IDS.find(list)
  if (ids !== undefined) {
    const own = ids === 'input_ids' && mask !== undefined && (mask === 'loss_mask' || mask === 'labels')
    return {
      confidence: own ? 0.9 : mask === undefined ? 0.4 : 0.6,
      seen: `keys ${[ids, ...(mask === undefined ? [] : [mask])].join(', ')}`,
      ...(own ? { version: '1' } : {}),
    }
  }
  const pair = ID_PAIRS.find(({ prompt, response }) => list(prompt) && list(response))
  if (pair !== undefined) {
    const seen = [pair.prompt, pair.response, ...(mask === undefined ? [] : [mask])]
    return { confidence: mask === undefined ? 0.35 : 0.55, seen: `keys ${seen.join(', ')}` }
  }
  // A rollout that was exported from a dump without ids.
  const told = ['reward', 'rewards', 'group_id', 'rollout_id', 'finish_reason'].filter((key) =>
    Object.hasOwn(record, key),
  )
  const { messages = null } = record
  if (told.length < 2 || (!Array.isArray(messages) && messagesOf(messages) === null)) return null
  return { confidence: 0.3, seen: `keys messages, ${told.join(', ')}, and no token ids` }
}

/** Names that a mapping gives to the texts of a record. A record of its own may hold texts under them as well, which are none of its streams. */
const MAPPED_TEXTS = ['prompt_text', 'completion_text'] as const

/** Some fields of a record of its own stand elsewhere, as a person said. */
function readMappedOver(record: OneRecord, mapping: FieldMapping, attends: boolean): Trajectory {
  const own = record.object.schema === SCHEMA ? withoutColumns(record.object) : record.object
  const object = mappedOver(own, mapping)
  const trajectory = readRecord({ ...record, object }, null, attends)
  return { ...trajectory, issues: [...trajectory.issues, ...unfilledIssues(object, mapping)] }
}

function readRecord(record: OneRecord, mapping: FieldMapping | null, attends: boolean): Trajectory {
  const isMapped = mapping !== null
  const fields = new Fields(record.object.schema === SCHEMA ? withoutColumns(record.object) : record.object)
  fields.take('schema')
  const tokens = readNativeTokens(fields, attends)
  // Beside ids a text is a decoded copy of them: it makes no messages, and no key of a group.
  const textAt = (name: (typeof MAPPED_TEXTS)[number]) => (isMapped && tokens === null ? fields.text(name) : null)
  const prompt = textAt('prompt_text')
  const conversation = isMapped ? null : conversationOf(fields)
  const messages =
    readMessages(fields, 'messages') ?? conversation?.messages ?? textMessages(prompt, textAt('completion_text'))
  if (tokens === null && messages === null) {
    throw new BadRecord('no-tokens', 'the record has neither token ids (input_ids) nor messages')
  }
  const blank = record.blank(0)
  const stored = fields.take('meta')
  const step = fields.number('step')
  const trajectory: Trajectory = {
    ...blank,
    ...tokens,
    id: fields.text('id') ?? blank.id,
    rolloutId: fields.text('rollout_id'),
    branch: fields.text('branch'),
    group:
      fields.text('group_id') ??
      (isMapped ? groupOfPrompt(step, prompt) : groupOfBatch(step, fields, conversation, tokens)),
    groupSize: fields.count('group_size'),
    step,
    model: fields.text('model'),
    temperature: fields.number('temperature'),
    advantage: fields.number('advantage') ?? numberAt(fields, 'advantages'),
    reward: fields.score('reward') ?? numberAt(fields, 'rewards'),
    rewards: isNumber(fields.peek('rewards')) ? null : fields.numbersByName('rewards'),
    messages,
    tools: fields.list('tools'),
    documents: readDocuments(fields),
    answer: fields.text('answer'),
    finishReason: fields.text('finish_reason'),
    isTruncated: fields.boolean('is_truncated'),
    limits: readLimits(fields),
    issues: fields.issues,
  }
  if (mapping !== null) fields.issues.push(...unfilledIssues(record.object, mapping))
  const { meta, unknown } = fields.rest([...ENVIRONMENT_NAMES, ...(isMapped && tokens !== null ? MAPPED_TEXTS : [])])
  record.drift([...unknown, ...unknownWithin(record.object)])
  if (isMapped && tokens !== null) record.drift(unreadLists(stored, lengthsOf(tokens)))
  return {
    ...trajectory,
    ...nativeBranch(trajectory),
    meta: { ...(isObject(stored) ? stored : stored === null ? {} : { meta: stored }), ...meta },
  }
}

interface Conversation {
  readonly prompt: string
  readonly messages: readonly Message[]
}

/** Rows of a batch of TRL with its columns have the conversation as the messages of its prompt and of its completion. */
function conversationOf(fields: Fields): Conversation | null {
  const [prompt, completion] = [messagesOf(fields.peek('prompt')), messagesOf(fields.peek('completion'))]
  if (prompt === null || completion === null || prompt.length === 0 || completion.length === 0) return null
  fields.take('prompt')
  fields.take('completion')
  return { prompt: JSON.stringify(prompt), messages: [...prompt, ...completion] }
}

/** TRL repeats a prompt for each rollout of its group and mixes the rows of a step: those of one prompt are a group, where the step is known. */
function groupOfBatch(
  step: number | null,
  fields: Fields,
  conversation: Conversation | null,
  tokens: Pick<Trajectory, 'ids' | 'promptLength'> | null,
): string | null {
  if (step === null || tokens === null || tokens.ids === null || !isTrlRow(fields)) return null
  // The prompt is padded on the left, to another width in each batch.
  const attended = numbersOf(fields.peek('prompt_mask'))?.findIndex((flag) => flag !== 0) ?? 0
  const prompt = tokens.ids.subarray(Math.max(0, attended), tokens.promptLength ?? 0)
  return groupOfPrompt(step, conversation?.prompt ?? prompt.join(' '))
}

/** Names within objects whose fields are all known: one that is misspelt would be lost without a word. */
const WITHIN = { logprobs: ['sampler', 'trainer', 'reference'], limits: LIMIT_NAMES } as const

function unknownWithin(record: JsonObject): string[] {
  return Object.entries(WITHIN).flatMap(([field, known]) => {
    const value = Object.hasOwn(record, field) ? record[field] : null
    const names = isObject(value) ? Object.keys(value) : []
    return names.filter((name) => !known.some((each) => each === name)).map((name) => `${field}.${name}`)
  })
}

/** How long lists are that hold a number for each token, of the whole or of what follows the prompt. */
function lengthsOf({ ids, promptLength }: Pick<Trajectory, 'ids' | 'promptLength'>): number[] {
  const length = ids?.length ?? 0
  return [length, length - (promptLength ?? 0)].filter((tokens) => tokens > 0)
}

/** A number under a name that stands for several. */
function numberAt(fields: Fields, name: string): number | null {
  return isNumber(fields.peek(name)) ? fields.number(name) : null
}

function isNumber(value: JsonValue): value is number {
  return typeof value === 'number'
}

function readDocuments(fields: Fields): RetrievedDocument[] | null {
  const list = fields.list('documents')
  if (list === null) return null
  const documents: RetrievedDocument[] = []
  for (const [i, entry] of list.entries()) {
    if (typeof entry === 'string') {
      documents.push({ id: String(i), title: null, text: entry, supporting: null })
      continue
    }
    if (!isObject(entry)) {
      fields.issue('bad-type', `documents[${i}]`, `documents[${i}] is neither an object nor a text`)
      continue
    }
    const document = new Fields(entry, fields.issues)
    documents.push({
      id: document.text('id') ?? String(i),
      title: document.text('title'),
      text: document.text('text'),
      supporting: document.boolean('supporting'),
    })
  }
  return documents
}

function readLimits(fields: Fields): Partial<Limits> | null {
  const object = fields.objectAt('limits')
  if (object === null) return null
  const limits = new Fields(object, fields.issues)
  const known = LIMIT_NAMES.map((name) => [name, limits.count(name)] as const).filter(([, value]) => value !== null)
  return known.length === 0 ? null : Object.fromEntries(known)
}
