import type { JsonObject, JsonValue, RawRecord } from '../containers/container.ts'
import { setOwn } from '../containers/plain-value.ts'
import type { RecordIssue } from '../model/trajectory.ts'
import { isList, isObject, numbersOf } from './fields.ts'

/** Fields of the native format that a mapping may fill; those with a dot stand inside the object before it. */
export const MAP_FIELDS = [
  'input_ids',
  'prompt_ids',
  'completion_ids',
  'loss_mask',
  'completion_mask',
  'labels',
  'sampled',
  'attention_mask',
  'position_ids',
  'sequence_ids',
  'versions',
  'prompt_length',
  'messages',
  'prompt_text',
  'completion_text',
  'tools',
  'documents',
  'answer',
  'reward',
  'rewards',
  'advantage',
  'advantages',
  'logprobs.sampler',
  'logprobs.trainer',
  'logprobs.reference',
  'entropy',
  'kl',
  'id',
  'rollout_id',
  'group_id',
  'group_size',
  'step',
  'model',
  'temperature',
  'finish_reason',
  'is_truncated',
] as const
export type MapField = (typeof MAP_FIELDS)[number]

/** Where the fields of the native format stand in the records of a dump of no known format: `{ input_ids: 'sample.tokens[0]' }`. */
export type FieldMapping = Readonly<Partial<Record<MapField, string>>>

/** `input_ids=sample.tokens`, as `--map` takes it. Throws a sentence for a field that there is not, and for a path that is none. */
export function mappingOf(settings: readonly string[]): FieldMapping {
  const mapping: Partial<Record<MapField, string>> = {}
  for (const setting of settings) {
    const at = setting.indexOf('=')
    const [field, path] = [setting.slice(0, at), setting.slice(at + 1)]
    const known = MAP_FIELDS.find((name) => name === field)
    if (at < 0 || known === undefined) {
      throw new Error(`--map ${setting}: FIELD=PATH is needed, and FIELD one of ${MAP_FIELDS.join(', ')}.`)
    }
    if (stepsOf(path) === null) {
      throw new Error(
        `--map ${setting}: a path is names with dots between them, and [0] for an entry of a list, as in sample.tokens[0].`,
      )
    }
    if (mapping[known] !== undefined && mapping[known] !== path) {
      throw new Error(`--map ${setting}: ${known} is mapped to ${mapping[known]} already; name one path for a field.`)
    }
    mapping[known] = path
  }
  return mapping
}

/** The same as `--map` takes it, in the order of the fields. */
export function mappingText(mapping: FieldMapping): string {
  return MAP_FIELDS.flatMap((field) => (mapping[field] === undefined ? [] : [`${field}=${mapping[field]}`])).join(' ')
}

/** Records as the native format has them. What no field takes stays beside them, as `meta` of the rollout. */
export function mappedRecords(records: readonly RawRecord[], mapping: FieldMapping): RawRecord[] {
  return records.map((record) =>
    isObject(record.value) ? { ...record, value: mappedRecord(record.value, mapping) } : record,
  )
}

function mappedRecord(object: JsonObject, mapping: FieldMapping): JsonObject {
  const { mapped, rest } = mappedObject(object, mapping)
  if (Object.keys(rest).length > 0) setOwn(mapped, 'meta', rest)
  return mapped
}

/**
 * The fields that a mapping fills from an object, and the object without what stands at its paths.
 *
 * @param takes whether what stands at a path is left out of the rest
 */
export function mappedObject(
  object: JsonObject,
  mapping: FieldMapping,
  takes: (steps: readonly (string | number)[]) => boolean = () => true,
): { readonly mapped: JsonObject; readonly rest: JsonObject } {
  const mapped: JsonObject = {}
  const used: (string | number)[][] = []
  for (const field of MAP_FIELDS) {
    const path = mapping[field]
    if (path === undefined) continue
    const steps = stepsOf(path) ?? []
    if (takes(steps)) used.push(steps)
    const value = valueAt(object, steps)
    if (value === null) continue
    const [outer, inner] = field.split('.') as [string, string?]
    if (inner === undefined) setOwn(mapped, outer, value)
    else setOwn(mapped, outer, { ...(isObject(mapped[outer]) ? mapped[outer] : {}), [inner]: value })
  }
  return { mapped, rest: withoutPaths(object, used) }
}

/** An object without what stands at these paths. Of a list no entry is left out alone: it goes whole. */
function withoutPaths(object: JsonObject, paths: readonly (readonly (string | number)[])[]): JsonObject {
  const rest: JsonObject = {}
  for (const [key, value] of Object.entries(object)) {
    const inside = paths.flatMap(([first, ...others]) => (first === key ? [others] : []))
    if (inside.length === 0) setOwn(rest, key, value)
    if (inside.length === 0 || !isObject(value) || inside.some(({ length }) => length === 0)) continue
    const left = withoutPaths(value, inside)
    if (Object.keys(left).length > 0) setOwn(rest, key, left)
  }
  return rest
}

/** A list for each token stands at the top of a record, or an object or two deeper. */
const DEEPEST_LIST = 5

/** Paths of lists of so many numbers that no field of the mapping takes: streams, most likely, that nobody named. */
export function unreadLists(meta: JsonValue, lengths: readonly number[]): string[] {
  const found: string[] = []
  const look = (object: JsonObject, before: string, depth: number) => {
    for (const [key, value] of Object.entries(object)) {
      if (isObject(value) && depth < DEEPEST_LIST) look(value, `${before}${key}.`, depth + 1)
      else if (isList(value) && lengths.includes(value.length) && numbersOf(value) !== null) found.push(before + key)
    }
  }
  if (isObject(meta)) look(meta, '', 1)
  return found
}

/** Fields of a mapped record for which nothing stands at their path, each said with the path. */
export function unfilledIssues(mapped: JsonObject, mapping: FieldMapping): RecordIssue[] {
  return MAP_FIELDS.flatMap((field): RecordIssue[] => {
    const path = mapping[field]
    if (path === undefined || valueAt(mapped, field.split('.')) !== null) return []
    return [{ code: 'bad-value', field, message: `${field} is mapped to ${path}, where nothing stands` }]
  })
}

/** Names and indices of a path; null where it is none. */
function stepsOf(path: string): (string | number)[] | null {
  const steps: (string | number)[] = []
  for (const piece of path.split('.')) {
    const [, name, indices] = /^([^[\]]*)((?:\[\d+\])*)$/.exec(piece) ?? []
    if (name === undefined || (name === '' && indices === '')) return null
    if (name !== '') steps.push(name)
    for (const [, index] of (indices as string).matchAll(/\[(\d+)\]/g)) steps.push(Number(index))
  }
  return steps
}

function valueAt(object: JsonObject, steps: readonly (string | number)[]): JsonValue {
  let value: JsonValue = object
  for (const step of steps) {
    if (typeof step === 'number') value = Array.isArray(value) ? (value[step] ?? null) : null
    else value = isObject(value) && Object.hasOwn(value, step) ? (value[step] ?? null) : null
  }
  return value
}
