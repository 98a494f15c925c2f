import type { JsonValue } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'

/** Where a record keeps the mask of one of its trajectories: entry i of the list at `path` belongs to entry `start + i` of the mask as read. */
export interface MaskPlace {
  readonly path: readonly (string | number)[]
  readonly labels: boolean
  readonly start: number
}

/** Names of lists that may be a loss mask. What a forward pass attends to is none. */
const NAMES = /mask|label/i
const OTHER = /attention|sample_loss|prompt_mask|pad/i
const DEPTH = 4
const IGNORED = -100

/** The list of a record that a mask was read from, found by what stands in it; null where it stands in pieces, or nowhere. */
export function maskPlaceOf(record: JsonValue, { mask, ids, place }: Trajectory): MaskPlace | null {
  if (mask === null || ids === null) return null
  const found: MaskPlace[] = []
  const look = (value: JsonValue, path: readonly (string | number)[], depth: number): void => {
    if (value === null || typeof value !== 'object' || depth > DEPTH) return
    const named = path.some((step) => typeof step === 'string' && NAMES.test(step) && !OTHER.test(step))
    if (ArrayBuffer.isView(value) || (Array.isArray(value) && value.length > 0 && typeof value[0] !== 'object')) {
      const at = named ? placed(value as ArrayLike<unknown>, mask, ids, path) : null
      if (at !== null) found.push(at)
      return
    }
    for (const [key, item] of Object.entries(value))
      look(item as JsonValue, [...path, Array.isArray(value) ? Number(key) : key], depth + 1)
  }
  look(record, [], 0)
  // Of the equal lists of a group that of this member. Labels beside a mask would contradict it once it is changed.
  const own = found.length === 1 ? found : found.filter(({ path }) => path.includes(place.part))
  return own.length === 1 ? (own[0] as MaskPlace) : null
}

function placed(
  list: ArrayLike<unknown>,
  mask: Uint8Array,
  ids: Int32Array,
  path: MaskPlace['path'],
): MaskPlace | null {
  const start = mask.length - list.length
  // A list of the response alone: nothing before it is trained. One entry fewer is aligned with what is predicted, and begins with the mask.
  const starts = start === 0 ? [0] : start === 1 ? [0, 1] : [start]
  for (const from of starts) {
    if (from < 0 || from + list.length > mask.length) continue
    if (!before(mask, from)) continue
    const flags = agrees(list, (value, i) => Number(value) > 0 === (mask[from + i] === 1))
    const labels = agrees(list, (value, i) =>
      mask[from + i] === 1 ? value === ids[from + i] || Number(value) === ids[from + i] : Number(value) === IGNORED,
    )
    if (labels) return { path, labels: true, start: from }
    if (flags) return { path, labels: false, start: from }
  }
  return null
}

function before(mask: Uint8Array, start: number): boolean {
  for (let token = 0; token < start; token++) if (mask[token] === 1) return false
  return true
}

function agrees(list: ArrayLike<unknown>, same: (value: unknown, index: number) => boolean): boolean {
  for (let i = 0; i < list.length; i++) if (!same(list[i], i)) return false
  return list.length > 0
}
