import type { JsonValue } from '../containers/container.ts'
import { isObject, type Numbers, numbersOf } from './fields.ts'
import type { FieldMapping, MapField } from './mapping.ts'

/** Records that are looked at. */
const LOOKED = 8
/** Objects within objects that are looked into. */
const DEPTH = 4
/** Characters of what names a question, where its field is called as the question itself would be. */
const LONGEST_KEY = 64

/** A path with what stands there in each of the records; null where a record has nothing there. */
interface Place {
  readonly path: string
  readonly values: readonly JsonValue[]
}

/**
 * Fields of the native format that records of no known format seem to hold, by what stands there and then by its name: token ids, a mask or
 * labels of their length, logprobs, a reward, a group. Null where neither ids nor a conversation nor rewarded texts are found. A proposal, which a person has to take.
 */
export function proposeMapping(records: readonly JsonValue[]): FieldMapping | null {
  const looked = records.filter(isObject).slice(0, LOOKED)
  if (looked.length === 0) return null
  const places = [...new Set(looked.flatMap((record) => pathsIn(record)))].map(
    (path): Place => ({ path, values: looked.map((record) => at(record, path)) }),
  )
  const lists = places.flatMap((place) => {
    const numbers = place.values.map((value) => numbersOf(value))
    return numbers.some((list) => list !== null && list.length > 0) ? [{ ...place, numbers }] : []
  })
  const mapping: Partial<Record<MapField, string>> = {}
  const idLists = lists.filter(({ numbers }) => every(numbers, looksLikeIds))
  const ids = best(
    idLists,
    [/(^|\.)(input_ids|token_ids)$/, /(^|\.)(tokens?|ids|sequences?)$/, /(tokens?|ids)$/],
    /prompt|query|context|completion|response|output|generat|action|label|position|mask|attention/,
  )
  const named = {
    prompt: best(
      idLists.filter(({ path }) => /prompt|query|context/.test(path)),
      [/(ids|tokens?|toks?)$/],
    ),
    completion: best(
      idLists.filter(({ path }) => /completion|response|output|generat|action/.test(path)),
      [/(ids|tokens?|toks?)$/],
    ),
  }
  const isNamed = ids !== null || named.prompt !== null || named.completion !== null
  const { prompt, completion } = (isNamed ? null : halves(idLists, lists)) ?? named
  const whole = ids ?? (prompt === null || completion === null ? (idLists[0] ?? null) : null)
  if (whole !== null) mapping.input_ids = whole.path
  else if (prompt !== null && completion !== null) {
    mapping.prompt_ids = prompt.path
    mapping.completion_ids = completion.path
  }
  const lengths = (whole ?? completion)?.numbers.map((list) => list?.length ?? null) ?? null
  if (lengths !== null) {
    const beside = lists.filter(
      ({ path, numbers }) =>
        path !== whole?.path && path !== prompt?.path && path !== completion?.path && sameLengths(numbers, lengths),
    )
    proposeBeside(beside, whole, mapping)
  }
  proposeScalars(places, mapping)
  if (whole === null && completion === null && mapping.messages === undefined) proposeTexts(places, mapping)
  if (mapping.group_id === undefined) proposeShortGroup(places, mapping)
  const found = mapping.input_ids ?? mapping.completion_ids ?? mapping.messages ?? mapping.completion_text
  return found === undefined ? null : mapping
}

/** What stands beside ids in rollouts, and in no settings. */
const BESIDE_IDS = ['loss_mask', 'completion_mask', 'labels', 'logprobs.sampler', 'logprobs.trainer'] as const

/**
 * Whether records of which a mapping was proposed are rollouts for certain. One object alone may be the settings of a run, where a list of
 * large whole numbers is no list of ids.
 */
export function areRollouts(proposed: FieldMapping, records: number): boolean {
  return (
    records > 1 ||
    proposed.completion_text !== undefined ||
    (proposed.prompt_ids !== undefined && proposed.completion_ids !== undefined) ||
    BESIDE_IDS.some((field) => proposed[field] !== undefined)
  )
}

type NumberPlace = Place & { readonly numbers: readonly (Numbers | null)[] }

/** Before the word for ids in a name: what is no part of what the model read and wrote, or the same once more. */
const NO_HALF = /gold|answer|target|label|next|shift|ref|truth|solution|draft/
/** In names of numbers that are as long as ids and tell nothing of which of them were written. */
const OF_ANY_IDS = /attention|pad|position|prompt|query|context/

/**
 * Two lists of ids whose names differ in their beginnings alone (`q_toks`, `a_toks`), where flags or scores have the length of one of them
 * alone: that one is the completion, the other its prompt. Null where either may be the whole sequence.
 */
function halves(idLists: readonly NumberPlace[], lists: readonly NumberPlace[]) {
  const [first, second] = idLists
  if (idLists.length !== 2 || first === undefined || second === undefined) return null
  const kinds = [first, second].map(({ path }) => /^(.+)[._]([^._]+)$/.exec(path.toLowerCase()))
  if (kinds.some((kind) => kind === null || kind[2] !== kinds[0]?.[2] || NO_HALF.test(kind[1] as string))) return null
  if (holds(first, second) || holds(second, first)) return null
  const others = lists.filter((place) => !idLists.includes(place) && !OF_ANY_IDS.test(place.path.toLowerCase()))
  const hasBeside = (half: NumberPlace) => {
    const lengths = half.numbers.map((list) => list?.length ?? null)
    return others.some(({ numbers }) => sameLengths(numbers, lengths))
  }
  const ofFirst = hasBeside(first)
  if (ofFirst === hasBeside(second)) return null
  return ofFirst ? { prompt: second, completion: first } : { prompt: first, completion: second }
}

/** Whether in each record the ids of one list stand somewhere in the other, one after the other. */
function holds(whole: NumberPlace, part: NumberPlace): boolean {
  return whole.numbers.every((list, i) => {
    const within = part.numbers[i] ?? null
    if (list === null || within === null) return false
    for (let from = 0; from + within.length <= list.length; from++) {
      let same = 0
      while (same < within.length && list[from + same] === within[same]) same++
      if (same === within.length) return true
    }
    return false
  })
}

function proposeBeside(
  beside: readonly NumberPlace[],
  whole: NumberPlace | null,
  mapping: Partial<Record<MapField, string>>,
): void {
  const take = (field: MapField, candidates: readonly NumberPlace[], names: readonly RegExp[], never?: RegExp) => {
    const taken = new Set(Object.values(mapping))
    const found = best(
      candidates.filter(({ path }) => !taken.has(path)),
      names,
      never,
    )
    if (found !== null) mapping[field] = found.path
  }
  const flags = beside.filter(({ numbers }) =>
    every(numbers, (list) => list.every((value) => value === 0 || value === 1)),
  )
  take('attention_mask', flags, [/attention/])
  take(
    whole === null ? 'completion_mask' : 'loss_mask',
    flags,
    // One list of flags beside the ids hardly is anything else.
    [
      /loss/,
      /(completion|response|action|assistant|train)\w{0,60}mask/,
      /mask/,
      /(^|[._])(train|trained|trainable|learn)(_|$)/,
      ...(flags.length === 1 ? [/./] : []),
    ],
    /attention|pad|sampled|generated/,
  )
  take('sampled', flags, [/sampled|generated/])
  const labels = beside.filter(({ numbers }) =>
    every(numbers, (list) => list.every((value) => value === -100 || value >= 0) && list.includes(-100 as never)),
  )
  if (mapping.loss_mask === undefined) take('labels', labels, [/label|target/])
  const scores = beside.filter(({ numbers }) =>
    every(
      numbers,
      (list) => list.every((value) => value <= 0 || Number.isNaN(value)) && list.some((value) => value < 0),
    ),
  )
  take('logprobs.reference', scores, [/ref\w{0,60}log|log\w{0,60}ref|(^|[._])base_\w{0,60}log/, shortFor('ref')])
  const ofSampler = 'sampl|infer|rollout|gen|vllm|sglang|behav|old'
  const ofTrainer = 'train|actor|policy|prev|new|fsdp|megatron'
  take('logprobs.sampler', scores, [new RegExp(`(${ofSampler})\\w{0,60}log`), shortFor(ofSampler)])
  if (mapping['logprobs.sampler'] === undefined)
    take(
      'logprobs.sampler',
      scores,
      [/log_?p(rob)?s?$/, /(^|[._])lps?$/, /log_?prob/],
      shortFor(`(\\w+_)?(${ofTrainer})`),
    )
  take('logprobs.trainer', scores, [new RegExp(`(${ofTrainer})\\w{0,60}log`), shortFor(ofTrainer), /log_?prob/])
  take('advantages', beside, [/advantage/, /(^|[._])advs?$/])
  take('position_ids', beside, [/position/])
  take('kl', beside, [/(^|\.|_)kl(_|$)/])
  take('entropy', beside, [/entrop/])
}

/** A name such as `lp_vllm` or `old_policy_lp`, in which `lp` stands for logprobs: whose they are is said first. */
function shortFor(whose: string): RegExp {
  return new RegExp(`(^|[.])(lps?_(${whose})|(${whose})\\w{0,60}_lps?($|_))`)
}

function proposeScalars(places: readonly Place[], mapping: Partial<Record<MapField, string>>): void {
  const take = (field: MapField, type: (value: JsonValue) => boolean, names: readonly RegExp[]) => {
    const taken = new Set(Object.values(mapping))
    const fitting = places.filter(
      ({ path, values }) =>
        !taken.has(path) &&
        !(field === 'group_id' && numbersRows(path, values)) &&
        values.every((value) => value === null || type(value)) &&
        values.some(type),
    )
    const found = best(fitting, names)
    if (found !== null) mapping[field] = found.path
  }
  const number = (value: JsonValue) => typeof value === 'number' || typeof value === 'boolean'
  const key = (value: JsonValue) => typeof value === 'string' || typeof value === 'number'
  const text = (value: JsonValue) => typeof value === 'string'
  const conversation = (value: JsonValue) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry) => isObject(entry) && typeof entry.role === 'string')
  take('messages', conversation, [/messages|conversation|chat|trajectory/, /./])
  take('reward', number, [/(^|\.)(reward|score|total_reward|final_reward)$/, /reward|score|return/])
  take('advantage', number, [/advantage/, /(^|[._])adv$/])
  take('group_id', key, [
    /(^|\.)group(_?id|_index)?$/,
    /(^|\.)(prompt|problem|question|example|task)_?(id|idx|index|hash|key|uid)$/,
    /(^|\.)(uid|qid)$/,
  ])
  take('step', number, [/(^|\.)(global_|training_)?step$/, /(^|\.)iter(ation)?$/])
  take('id', key, [/(^|\.)(rollout|sample|trajectory)_?(id|idx|index)$/, /(^|\.)id$/, /(^|\.)uid$/])
  take('answer', text, [/(^|\.)(answer|ground_truth|gold|target)$/])
  take('finish_reason', text, [/(finish|stop)_(reason|why|cause)/])
  take('model', text, [/(^|\.)model(_name)?$/])
}

/** A `uid` is a prompt's in verl and a row's elsewhere: one that counts the rows on is no group. */
function numbersRows(path: string, values: readonly JsonValue[]): boolean {
  const [first] = values
  if (values.length < 2 || typeof first !== 'number' || !/(^|\.)uid$/.test(path.toLowerCase())) return false
  return values.every((value, at) => value === first + at)
}

/** A text that answers another is a rollout where it was rewarded: without that, a data set has the same two. */
function proposeTexts(places: readonly Place[], mapping: Partial<Record<MapField, string>>): void {
  if (mapping.reward === undefined) return
  const texts = places.filter(({ values }) => values.every((value) => typeof value === 'string'))
  const prompt = best(texts, [/(^|\.)(prompt|query|question|input|instruction)(_?text)?$/])
  const completion = best(texts, [/(^|\.)(completion|response|output|generation|generated|rollout|reply)(_?text)?$/])
  if (prompt === null || completion === null) return
  mapping.prompt_text = prompt.path
  mapping.completion_text = completion.path
}

/** A bare name may as well hold the question itself, or a value of it: only what is short or a whole number names a group. */
function proposeShortGroup(places: readonly Place[], mapping: Partial<Record<MapField, string>>): void {
  const isKey = (value: JsonValue) =>
    typeof value === 'string' ? value !== '' && value.length <= LONGEST_KEY : Number.isInteger(value)
  const taken = new Set(Object.values(mapping))
  const found = best(
    places.filter(({ path, values }) => !taken.has(path) && values.every(isKey)),
    [/(^|\.)(q|prompt|problem|question|query|task)$/],
  )
  if (found !== null) mapping.group_id = found.path
}

/** The place whose path fits the first of several names that any fits, the shortest path of those; null where none fits. */
function best<Found extends Place>(places: readonly Found[], names: readonly RegExp[], never?: RegExp): Found | null {
  for (const name of names) {
    const fitting = places.filter(
      ({ path }) => name.test(path.toLowerCase()) && !(never?.test(path.toLowerCase()) ?? false),
    )
    if (fitting.length > 0) return fitting.reduce((a, b) => (b.path.length < a.path.length ? b : a))
  }
  return null
}

/** Whole numbers that no count, no mask and no position is: large, and not in a row. */
function looksLikeIds(list: Numbers): boolean {
  if (list.length === 0) return true
  let largest = 0
  let inRow = 0
  for (let i = 0; i < list.length; i++) {
    const value = list[i] as number
    if (!Number.isInteger(value) || value < 0 || value > 1 << 24) return false
    if (value > largest) largest = value
    if (i > 0 && value === (list[i - 1] as number) + 1) inRow++
  }
  return largest > 255 && inRow < list.length / 2
}

function every(lists: readonly (Numbers | null)[], fits: (list: Numbers) => boolean): boolean {
  return lists.every((list) => list === null || fits(list))
}

function sameLengths(lists: readonly (Numbers | null)[], lengths: readonly (number | null)[]): boolean {
  // An array that is aligned with predictions has one entry fewer.
  return lists.every(
    (list, i) =>
      list === null || lengths[i] === null || list.length === lengths[i] || list.length === (lengths[i] as number) - 1,
  )
}

function pathsIn(value: JsonValue, prefix = '', depth = 0): string[] {
  if (!isObject(value) || depth >= DEPTH) return prefix === '' ? [] : [prefix]
  const own = prefix === '' ? [] : [prefix]
  // A name with a dot or a bracket in it has no path.
  const named = Object.entries(value).filter(([key]) => !/[.[\]]/.test(key) && key !== '')
  return [...own, ...named.flatMap(([key, item]) => pathsIn(item, prefix === '' ? key : `${prefix}.${key}`, depth + 1))]
}

function at(record: JsonValue, path: string): JsonValue {
  let value: JsonValue = record
  for (const name of path.split('.'))
    value = isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null
  return value
}
