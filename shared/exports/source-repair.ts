import { joinBytes } from '../containers/join-bytes.ts'
import { valueSpan } from '../containers/json-spans.ts'
import type { ExportedTrajectory } from './export-kind.ts'
import { type MaskPlace, maskPlaceOf } from './mask-place.ts'
import type { RepairedMask } from './repair.ts'

/** The label of a token that carries no loss. */
const IGNORED = -100

/** What a list of a record is to hold. */
export interface RepairedList {
  readonly path: MaskPlace['path']
  /** For each entry whether it is trained, and where it is, the id of its token (labels) or 1; null = as it is. */
  readonly entries: readonly (number | null)[]
}

/** The list that a record has for the mask of a trajectory, as it is to be; null where that stands in no list of its own. */
export function repairedList(
  { trajectory, view, record }: ExportedTrajectory,
  repaired: RepairedMask,
): RepairedList | null {
  if (!view?.mask || trajectory.mask === null) return null
  const place = maskPlaceOf(record.value, trajectory)
  if (place === null) return null
  const { ids, mask } = view
  const late = view.maskAlignment === 'target' ? 1 : 0
  const length = trajectory.mask.length - place.start
  const entries = Array.from({ length }, (_, i) => {
    const token = place.start + i + late
    if (token >= mask.length || repaired.mask[token] === mask[token]) return null
    return repaired.mask[token] === 1 ? (place.labels ? (ids[token] as number) : 1) : place.labels ? IGNORED : 0
  })
  return { path: place.path, entries }
}

/** The text of a record with some of its lists changed; every other byte stays. */
export function splicedText(bytes: Uint8Array, repairs: readonly RepairedList[]): Uint8Array {
  const pieces = repairs
    .map(({ path, entries }) => ({ span: valueSpan(bytes, path), entries }))
    .filter((piece): piece is typeof piece & { span: { start: number; end: number } } => piece.span !== null)
    .sort((a, b) => a.span.start - b.span.start)
  const parts: Uint8Array[] = []
  let at = 0
  for (const { span, entries } of pieces) {
    const text = new TextDecoder().decode(bytes.subarray(span.start, span.end))
    parts.push(bytes.subarray(at, span.start), new TextEncoder().encode(listText(text, entries)))
    at = span.end
  }
  parts.push(bytes.subarray(at))
  return joinBytes(parts)
}

/** Texts of the elements of a list of numbers or booleans. */
export function elementsOf(text: string): string[] {
  const inner = text.trim().slice(1, -1).trim()
  return inner === '' ? [] : inner.split(',').map((element) => element.trim())
}

/** A list of numbers or booleans with entries changed, written as the others are. */
function listText(text: string, entries: readonly (number | null)[]): string {
  const elements = elementsOf(text)
  const booleans = elements.some((element) => element === 'true' || element === 'false')
  const fractions = !booleans && elements.every((element) => element.includes('.'))
  const written = elements.map((element, i) => {
    const entry = entries[i] ?? null
    if (entry === null) return element
    return booleans ? String(entry !== 0) : fractions ? entry.toFixed(1) : String(entry)
  })
  return `[${written.join(', ')}]`
}

/** The values of a list in a column with entries changed, of the type that the others have. */
export function repairedValues<Value>(values: readonly Value[], entries: readonly (number | null)[]): Value[] {
  return values.map((value, i) => {
    const entry = entries[i] ?? null
    if (entry === null) return value
    if (typeof value === 'bigint') return BigInt(entry) as Value
    return (typeof value === 'boolean' ? entry !== 0 : entry) as Value
  })
}
