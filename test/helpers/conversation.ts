import type { Place } from '../../shared/model/source.ts'
import { emptyTrajectory, type Trajectory } from '../../shared/model/trajectory.ts'
import type { Tokenizer } from '../../shared/tokens/tokenizer.ts'

/**
 * Builds records of the native format from turns, token by token, so that a fixture says only what is wrong with it.
 * The frames are written down here from the chat templates and not taken from the engine: a test must not
 * learn the truth from the code it tests.
 */
const CHATML = { bos: [], start: 151644, headerEnd: [198], end: 151645, separator: [198], pad: 151643 }
const LLAMA = { bos: [128000], start: 128006, headerEnd: [128007, 271], end: 128009, separator: [], pad: 128004 }

/** Which pieces of a turn carry loss. Default: `content` and `end` of assistant turns, nothing else. */
export interface TrainedPieces {
  readonly header?: boolean
  readonly prefill?: boolean
  readonly content?: boolean
  readonly end?: boolean
  readonly separator?: boolean
}

export interface TurnSpec {
  /** `tool` becomes what the family's template makes of it: a user turn with tags, or an `ipython` turn. */
  readonly role: string
  /** Must not begin with a newline: the template's own newline would merge with it. */
  readonly text: string
  /** False leaves the piece out of the ids (defects V2 and V3, cut turns). */
  readonly header?: boolean
  readonly end?: boolean
  readonly separator?: boolean
  /** Text the template supplies between the header and the sampled content, such as `<think>\n\n</think>\n\n`. */
  readonly prefill?: string
  /** False spells control tokens that stand in the text by ordinary tokens, as text of the environment must be. */
  readonly specials?: boolean
  readonly train?: boolean | TrainedPieces
}

export const system = (text: string, more: Partial<TurnSpec> = {}): TurnSpec => ({ role: 'system', text, ...more })
export const user = (text: string, more: Partial<TurnSpec> = {}): TurnSpec => ({ role: 'user', text, ...more })
export const tool = (text: string, more: Partial<TurnSpec> = {}): TurnSpec => ({ role: 'tool', text, ...more })
export const assistant = (text: string, more: Partial<TurnSpec> = {}): TurnSpec => ({
  role: 'assistant',
  text,
  ...more,
})

/** A tool call as the model writes it in the family's own syntax. */
export function call(tokenizer: Tokenizer, name: string, args: Record<string, unknown>): string {
  if (familyOf(tokenizer) === LLAMA) return JSON.stringify({ name, parameters: args })
  return `<tool_call>\n{"name": "${name}", "arguments": ${JSON.stringify(args)}}\n</tool_call>`
}

export const SEARCH_TOOL = {
  type: 'function',
  function: {
    name: 'search',
    description: 'Finds documents',
    parameters: { type: 'object', properties: { query: { type: 'string' } } },
  },
}

/** The system text of a Qwen template with tools: what a prompt holds when the schema is not lost. */
export function withToolSchema(text: string, tools: readonly unknown[] = [SEARCH_TOOL]): string {
  const lines = tools.map((each) => JSON.stringify(each)).join('\n')
  return `${text}\n\n# Tools\n\nYou may call one or more functions.\n\n<tools>\n${lines}\n</tools>`
}

export interface RecordOptions {
  readonly id?: string
  readonly group?: string
  readonly groupSize?: number
  readonly reward?: number
  readonly rewards?: Readonly<Record<string, number>>
  readonly advantage?: number
  readonly finishReason?: string
  readonly isTruncated?: boolean
  /** Default `loss_mask`. */
  readonly mask?: 'loss_mask' | 'labels' | 'none'
  /** Write the `sampled` stream. */
  readonly sampled?: boolean
  /** Write `logprobs.sampler` (null where not sampled), and `logprobs.trainer` as well for `both`. */
  readonly logprobs?: 'sampler' | 'both'
  /** Write `attention_mask`: what it should be, or the loss mask itself (defect V1). */
  readonly attention?: 'ones' | 'loss'
  readonly tools?: readonly unknown[]
  /** Write `messages` of the whole conversation, also of what a cut removed. */
  readonly messages?: boolean
  readonly documents?: readonly { id: string; title?: string; text?: string; supporting?: boolean }[]
  readonly answer?: string
  readonly limits?: Readonly<Record<string, number>>
  /** How many BOS tokens stand at the start; default what the template writes (Llama 1, ChatML 0). */
  readonly bos?: number
  /** Ends the row with a bare generation prompt. */
  readonly generationPrompt?: boolean
  /** Tokens removed from either end, after everything else was built and before padding. */
  readonly cutLeft?: number
  readonly cutRight?: number
  readonly padLeft?: number
  readonly padRight?: number
  /** Last word on the mask: gets a copy with the layout of every turn. */
  readonly editMask?: (mask: number[], layout: readonly TurnLayout[], sampled: readonly number[]) => void
  /** Any further field of the record. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** Where a turn lies in `input_ids`. `endToken` is -1 where it was left out. */
export interface TurnLayout {
  readonly role: string
  readonly start: number
  readonly headerEnd: number
  readonly contentStart: number
  readonly contentEnd: number
  readonly endToken: number
  readonly end: number
}

export interface NativeRecord {
  id?: string
  input_ids: number[]
  loss_mask?: number[]
  labels?: number[]
  sampled?: number[]
  attention_mask?: number[]
  logprobs?: Record<string, (number | null)[]>
  messages?: { role: string; content: string }[]
  [field: string]: unknown
}

export interface Conversation {
  readonly record: NativeRecord
  readonly layout: readonly TurnLayout[]
  /** Whether each token was sampled, whatever the record says about it. */
  readonly sampled: readonly number[]
}

function familyOf(tokenizer: Tokenizer): typeof CHATML | typeof LLAMA {
  return tokenizer.frame?.style === 'llama' ? LLAMA : CHATML
}

/** Role and text as the family's template renders them. */
function rendered(turn: TurnSpec, llama: boolean): { role: string; text: string } {
  if (turn.role !== 'tool') return turn
  if (llama) return { role: 'ipython', text: JSON.stringify(turn.text) }
  return { role: 'user', text: `<tool_response>\n${turn.text}\n</tool_response>` }
}

function piecesOf(turn: TurnSpec): TrainedPieces {
  if (turn.train === true) return { header: true, prefill: true, content: true, end: true, separator: true }
  if (turn.train === false) return {}
  const usual = turn.role === 'assistant' ? { content: true, end: true } : {}
  return { ...usual, ...turn.train }
}

/** One rollout. Throws nothing; what is odd in the turns is odd in the record. */
export function conversation(
  tokenizer: Tokenizer,
  turns: readonly TurnSpec[],
  options: RecordOptions = {},
): Conversation {
  const family = familyOf(tokenizer)
  let ids: number[] = []
  let mask: number[] = []
  let sampled: number[] = []
  let layout: TurnLayout[] = []
  const add = (tokens: readonly number[], trained = false, written = false) => {
    for (const token of tokens) {
      ids.push(token)
      mask.push(trained ? 1 : 0)
      sampled.push(written ? 1 : 0)
    }
  }
  for (let i = 0; i < (options.bos ?? family.bos.length); i++) add([LLAMA.bos[0] as number])
  for (const turn of turns) {
    const written = turn.role === 'assistant'
    const train = piecesOf(turn)
    const { role, text } = rendered(turn, family === LLAMA)
    const start = ids.length
    if (turn.header !== false) add([family.start, ...tokenizer.encode(role), ...family.headerEnd], train.header)
    const headerEnd = ids.length
    if (turn.prefill) add(tokenizer.encode(turn.prefill, { specials: true }), train.prefill)
    const contentStart = ids.length
    add(tokenizer.encode(text, { specials: turn.specials ?? true }), train.content, written)
    const contentEnd = ids.length
    if (turn.end !== false) add([family.end], train.end, written)
    if (turn.separator !== false && turn.end !== false) add(family.separator, train.separator)
    const endToken = turn.end === false ? -1 : contentEnd
    layout.push({ role: turn.role, start, headerEnd, contentStart, contentEnd, endToken, end: ids.length })
  }
  if (options.generationPrompt) add([family.start, ...tokenizer.encode('assistant'), ...family.headerEnd])

  const cutLeft = options.cutLeft ?? 0
  const padLeft = options.padLeft ?? 0
  const keep = (values: number[], pad: number) => [
    ...Array<number>(padLeft).fill(pad),
    ...values.slice(cutLeft, values.length - (options.cutRight ?? 0)),
    ...Array<number>(options.padRight ?? 0).fill(pad),
  ]
  ids = keep(ids, family.pad)
  mask = keep(mask, 0)
  sampled = keep(sampled, 0)
  const moved = (at: number) => Math.max(0, at - cutLeft) + padLeft
  layout = layout.map((turn) => ({
    role: turn.role,
    start: moved(turn.start),
    headerEnd: moved(turn.headerEnd),
    contentStart: moved(turn.contentStart),
    contentEnd: moved(turn.contentEnd),
    endToken: turn.endToken < 0 ? -1 : moved(turn.endToken),
    end: moved(turn.end),
  }))
  options.editMask?.(mask, layout, sampled)

  const real = (i: number) => i >= padLeft && i < ids.length - (options.padRight ?? 0)
  const record: NativeRecord = { input_ids: ids }
  const put = (field: string, value: unknown) => {
    if (value !== undefined) record[field] = value
  }
  put('id', options.id)
  if (options.mask === 'labels') record.labels = mask.map((value, i) => (value ? (ids[i] as number) : -100))
  else if (options.mask !== 'none') record.loss_mask = mask
  if (options.sampled) record.sampled = sampled
  if (options.attention) record.attention_mask = options.attention === 'loss' ? [...mask] : ids.map((_, i) => +real(i))
  if (options.logprobs) record.logprobs = logprobs(ids, sampled, options.logprobs === 'both')
  if (options.messages) record.messages = turns.map(({ role, text }) => ({ role, content: text }))
  put('tools', options.tools)
  put('documents', options.documents)
  put('answer', options.answer)
  put('group_id', options.group)
  put('group_size', options.groupSize)
  put('reward', options.reward)
  put('rewards', options.rewards)
  put('advantage', options.advantage)
  put('finish_reason', options.finishReason)
  put('is_truncated', options.isTruncated)
  put('limits', options.limits)
  Object.assign(record, options.more)
  return { record, layout, sampled }
}

/** Natural logprobs: about a fifth of the sampled tokens are exactly 0.0, the trainer is close to the sampler. */
function logprobs(
  ids: readonly number[],
  sampled: readonly number[],
  trainer: boolean,
): Record<string, (number | null)[]> {
  const noise = (i: number) => (((ids[i] as number) * 2654435761 + i * 40503) >>> 0) / 2 ** 32
  const sampler = ids.map((_, i) => (sampled[i] ? (noise(i) < 0.2 ? 0 : -round(noise(i) ** 3 * 4)) : null))
  if (!trainer) return { sampler }
  return { sampler, trainer: sampler.map((value, i) => (value === null ? null : round(value - noise(i + 1) * 0.01))) }
}

const round = (value: number) => Math.round(value * 1e4) / 1e4

/** The records as the lines of a JSONL file. */
export function jsonl(conversations: readonly Conversation[]): string {
  return conversations.map(({ record }) => `${JSON.stringify(record)}\n`).join('')
}

/** The trajectory that a correct importer makes of a native record, for tests that stand before the importers. */
export function trajectoryOf({ record }: Conversation, place: Place = { source: 0, record: 0, part: 0 }): Trajectory {
  const ids = Int32Array.from(record.input_ids)
  const stored = record.loss_mask ?? record.labels?.map((label) => (label === -100 ? 0 : 1))
  const scores = (name: string) => {
    const values = record.logprobs?.[name]
    return values ? Float32Array.from(values, (value) => value ?? Number.NaN) : null
  }
  const fractional = stored?.some((value) => value !== 0 && value !== 1)
  const given = <T>(field: string): T | null => (record[field] as T | undefined) ?? null
  const integers = (field: string) => (record[field] ? Int32Array.from(record[field] as number[]) : null)
  return {
    ...emptyTrajectory(place, `${place.source}:${place.record}`.padStart(16, '0')),
    ...(record.id === undefined ? {} : { id: record.id }),
    ids,
    mask: stored
      ? Uint8Array.from(ids, (_, i) => (i < stored.length ? ((stored[i] as number) > 0 ? 1 : 0) : 255))
      : null,
    weights: fractional ? Float32Array.from(stored as number[]) : null,
    sampled: record.sampled ? Uint8Array.from(record.sampled) : null,
    attentionMask: record.attention_mask ? Int32Array.from(record.attention_mask) : null,
    logprobs: { sampler: scores('sampler'), trainer: scores('trainer'), reference: scores('reference') },
    positionIds: integers('position_ids'),
    sequenceIds: integers('sequence_ids'),
    messages: record.messages ?? null,
    tools: given('tools'),
    documents:
      given<RecordOptions['documents']>('documents')?.map((each) => ({
        id: each.id,
        title: each.title ?? null,
        text: each.text ?? null,
        supporting: each.supporting ?? null,
      })) ?? null,
    answer: given('answer'),
    versions: record.versions ? Int32Array.from(record.versions as number[]) : null,
    kl: record.kl ? Float32Array.from(record.kl as (number | null)[], (value) => value ?? Number.NaN) : null,
    entropy: record.entropy
      ? Float32Array.from(record.entropy as (number | null)[], (value) => value ?? Number.NaN)
      : null,
    step: given('step'),
    model: given('model'),
    temperature: given('temperature'),
    group: given('group_id'),
    groupSize: given('group_size'),
    reward: given('reward'),
    rewards: given('rewards'),
    advantage: given('advantage'),
    meta: given<Record<string, unknown>>('meta') ?? {},
    advantages: record.advantages ? Float32Array.from(record.advantages as number[]) : null,
    finishReason: given('finish_reason'),
    isTruncated: given('is_truncated'),
    limits: given('limits'),
    promptLength: given('prompt_length'),
    excluded: given<boolean>('excluded') ?? false,
    rolloutId: given('rollout_id'),
    branch: given('branch'),
    arrays: stored ? [{ name: 'loss_mask', length: stored.length, expected: ids.length }] : [],
  }
}
