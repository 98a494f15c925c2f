import type { BuildContext } from './context.ts'
import { encodeLatin1 } from './text.ts'
import { itemsOf, PyBytes, PyDict, PyList, PySet, PyTuple, type PyValue } from './values.ts'

/** The items of a list, tuple or set, charged for being copied; null for anything else. */
export function copiedItems(value: PyValue | undefined, context: BuildContext): readonly PyValue[] | null {
  const length = lengthOf(value)
  if (length === null) return null
  context.budget.charge(24 * length, context.at)
  return itemsOf(value)
}

/** The items of a tuple or list that has a handful by its nature, such as a state; null for anything else and for longer ones. */
export function fewItems(value: PyValue | undefined): readonly PyValue[] | null {
  const length = lengthOf(value)
  return length === null || length > 64 ? null : itemsOf(value)
}

function lengthOf(value: PyValue | undefined): number | null {
  if (value instanceof PyList) return value.length
  return value instanceof PyTuple || value instanceof PySet ? value.items.length : null
}

/** Adds the items of a dict, or of a list of pairs, to `target`; false when `source` is neither. */
export function addEntries(target: PyDict, source: PyValue | undefined, context: BuildContext): boolean {
  if (source instanceof PyDict) {
    context.budget.charge(64 * source.entries.size, context.at)
    for (const [key, value] of source.entries) setEntry(target, key, value, context)
    return true
  }
  const pairs = copiedItems(source, context)
  if (pairs === null) return false
  for (const pair of pairs) {
    const items = fewItems(pair)
    if (items?.length !== 2) return false
    setEntry(target, items[0] as PyValue, items[1] as PyValue, context)
  }
  return true
}

/** A JavaScript map ends at 2^24 entries. */
const MAX_ENTRIES = 2 ** 24 - 1

export function setEntry(target: PyDict, key: PyValue, value: PyValue, context: BuildContext): void {
  if (target.entries.size >= MAX_ENTRIES && !target.entries.has(key)) {
    throw context.error('too-large', `a dict has more than ${MAX_ENTRIES} entries`)
  }
  target.set(key, value)
}

/** Bytes as `bytes` or, from Python 2, as a text of one character per byte. */
export function bytesOf(value: PyValue | undefined, context: BuildContext): PyBytes | null {
  if (value instanceof PyBytes) return value
  if (typeof value !== 'string') return null
  context.budget.charge(value.length, context.at)
  const bytes = encodeLatin1(value)
  return bytes === null ? null : new PyBytes(bytes)
}

/** The lengths of a shape or strides: whole numbers from 0, at most 64 as in numpy and torch; null for anything else. */
export function lengthsOf(value: PyValue | undefined): number[] | null {
  const items = fewItems(value)
  if (items === null) return null
  const lengths: number[] = []
  for (const item of items) {
    if (typeof item !== 'number' || !Number.isSafeInteger(item) || item < 0) return null
    lengths.push(item)
  }
  return lengths
}

export function isWhole(value: PyValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}
