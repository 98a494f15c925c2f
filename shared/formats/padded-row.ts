import type { JsonObject, JsonValue } from '../containers/container.ts'
import { numbersOf } from './fields.ts'

export interface Padding {
  readonly left: number
  readonly right: number
}

/**
 * Padding of a row of a padded batch: the tokens at either end that have one and the same id and are not attended. Null where the
 * attention mask leaves out other tokens at an end too: it is then no mask of padding, and does not tell.
 */
export function paddingOf(ids: Int32Array, attention: Int32Array | null): Padding | null {
  if (attention === null) return null
  const left = paddingAt(ids, attention, 0, 1)
  const right = paddingAt(ids, attention, ids.length - 1, -1)
  return left === null || right === null || left + right > ids.length ? null : { left, right }
}

function paddingAt(ids: Int32Array, attention: Int32Array, from: number, step: 1 | -1): number | null {
  let unattended = 0
  for (let i = from; attention[i] === 0; i += step) unattended++
  for (let i = 0; i < unattended; i++) if (ids[from + i * step] !== ids[from]) return null
  return unattended
}

/**
 * NaN where the batch has a zero because it must have something: on padding, and outside the response (`responses` 0), which the columns
 * of the longest one reach beyond.
 */
export function withoutFiller(
  values: Float32Array | null,
  padding: Padding | null,
  responses: Uint8Array | null = null,
): Float32Array | null {
  if (values === null) return null
  if (padding !== null) values.fill(Number.NaN, 0, padding.left).fill(Number.NaN, values.length - padding.right)
  for (let i = 0; i < (responses?.length ?? 0); i++) if (responses?.[i] === 0) values[i] = Number.NaN
  return values
}

/** The reward of a rollout from its rewards by token, NaN where one of them is no number; null where there are none. */
export function sumOf(value: JsonValue): number | null {
  const numbers = numbersOf(value)
  if (numbers === null || numbers.every(Number.isNaN)) return null
  let sum = 0
  for (const number of numbers) sum += number
  return sum
}

/** What a batch says of itself in single values, under `name`. Lists over its rows are too long to be said again with each. */
export function saidOnce(name: string, about: JsonObject): Record<string, unknown> {
  const settings = Object.entries(about).filter(([, value]) => value !== null && typeof value !== 'object')
  return settings.length === 0 ? {} : { [name]: Object.fromEntries(settings) }
}
