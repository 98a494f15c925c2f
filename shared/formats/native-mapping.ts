import type { JsonObject } from '../containers/container.ts'
import { isObject } from './fields.ts'
import { type FieldMapping, MAP_FIELDS, type MapField, mappedObject } from './mapping.ts'
import { RESPONSE_MASKS } from './native-masks.ts'
import { FULL_IDS, ID_PAIRS } from './native-tokens.ts'

const PAIRED_IDS = ID_PAIRS.flatMap(({ prompt, response }) => [prompt, response])
const MASKS = ['loss_mask', 'labels', ...RESPONSE_MASKS]

/** Names under which a record holds the same as a field, of which one is read: what a person mapped stands for all of them. */
const SAME: Readonly<Partial<Record<MapField, readonly string[]>>> = {
  input_ids: [...FULL_IDS, ...PAIRED_IDS],
  prompt_ids: FULL_IDS,
  completion_ids: FULL_IDS,
  loss_mask: MASKS,
  completion_mask: MASKS,
  labels: MASKS,
}

/** Names that the native format reads at the top of a record. What a mapping takes from one of them is still there for its own field. */
const OWN_NAMES: ReadonlySet<string> = new Set([
  ...MAP_FIELDS.map((field) => field.split('.')[0] as string),
  ...FULL_IDS,
  ...PAIRED_IDS,
  ...MASKS,
])

/**
 * A record of the native format in which the fields that a person mapped are what stands at their paths, and nothing where nothing does, whatever
 * the record has under their own names. All other fields are its own.
 */
export function mappedOver(record: JsonObject, mapping: FieldMapping): JsonObject {
  const { mapped, rest } = mappedObject(record, mapping, ([first]) => !OWN_NAMES.has(String(first)))
  const replaced = new Set<string>()
  const named = MAP_FIELDS.filter((field) => mapping[field] !== undefined)
  for (const field of named) for (const name of SAME[field] ?? [field]) replaced.add(name)
  const own = Object.entries(rest).filter(([name]) => !replaced.has(name))
  // Fields within an object replace those of its own object alone.
  const scored = isObject(rest.logprobs) ? Object.entries(rest.logprobs) : []
  const logprobs = Object.fromEntries(scored.filter(([name]) => !replaced.has(`logprobs.${name}`)))
  const isScored = named.some((field) => field.startsWith('logprobs.'))
  return {
    ...Object.fromEntries(own),
    ...mapped,
    ...(isScored ? { logprobs: { ...logprobs, ...(isObject(mapped.logprobs) ? mapped.logprobs : {}) } } : {}),
  }
}
