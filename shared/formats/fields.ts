import type { JsonObject, JsonValue } from '../containers/container.ts'
import type { RecordIssue } from '../model/trajectory.ts'
import { jsonIn, listIn } from './json-text.ts'

export type Numbers = Int32Array | Float64Array

/** A record that a format cannot make sense of; it is skipped, with this reason, and costs no neighbour. */
export class BadRecord extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'BadRecord'
    this.code = code
  }
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !ArrayBuffer.isView(value)
}

function isNumbers(value: JsonValue | undefined): value is Numbers {
  return value instanceof Int32Array || value instanceof Float64Array
}

/** A list of anything, however the reader stored it. */
export function isList(value: JsonValue | undefined): value is JsonValue[] | Numbers {
  return Array.isArray(value) || isNumbers(value)
}

/** Every element of a list is a list. */
export function isListOfLists(value: JsonValue | undefined): value is (JsonValue[] | Numbers)[] {
  return Array.isArray(value) && value.length > 0 && value.every(isList)
}

/** A list's numbers (booleans 1 and 0, null NaN); null where there is anything else in it, or no list. */
export function numbersOf(value: JsonValue | undefined): Numbers | null {
  if (isNumbers(value)) return value
  if (!Array.isArray(value)) return null
  const numbers = new Float64Array(value.length)
  for (let i = 0; i < value.length; i++) {
    const element = value[i]
    if (typeof element === 'number') numbers[i] = element
    else if (typeof element === 'boolean') numbers[i] = element ? 1 : 0
    else if (element === null) numbers[i] = Number.NaN
    else return null
  }
  return numbers
}

/** A number, or a text that is one and nothing else (`"0.9"`, as tables of texts have it; NaN as Python and JavaScript write it); else null. */
function asNumber(value: JsonValue): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.length > LONGEST_NUMBER) return null
  if (/^(?:nan|NaN)$/.test(value)) return Number.NaN
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(value)) return Number(value)
  const infinite = /^([-+]?)(?:inf|Infinity)$/.exec(value)
  return infinite === null ? null : infinite[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** Characters of the longest text that is taken for a number. */
const LONGEST_NUMBER = 64

/** What a value is, for people. */
export function kindOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return 'nothing'
  if (isList(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : typeof value === 'string' ? 'a text' : `a ${typeof value}`
}

/**
 * Takes the fields of one object, notes those of a wrong type as issues, and remembers which were not asked for. A
 * field that is null counts as absent.
 */
export class Fields {
  readonly issues: RecordIssue[]
  private readonly object: JsonObject
  private readonly taken = new Set<string>()

  constructor(object: JsonObject, issues: RecordIssue[] = []) {
    this.object = object
    this.issues = issues
  }

  /** The value as stored; null where absent. */
  take(key: string): JsonValue {
    this.taken.add(key)
    return this.peek(key)
  }

  /** The value as stored, null where absent; the field does not count as taken. */
  peek(key: string): JsonValue {
    return Object.hasOwn(this.object, key) ? (this.object[key] as JsonValue) : null
  }

  /** The first of several names that is present; all of them count as taken. */
  takeFirst(keys: readonly string[]): { readonly key: string; readonly value: JsonValue } | null {
    let first: { key: string; value: JsonValue } | null = null
    for (const key of keys) {
      const value = this.take(key)
      if (value !== null && first === null) first = { key, value }
    }
    return first
  }

  has(key: string): boolean {
    return Object.hasOwn(this.object, key) && this.object[key] !== null
  }

  /** A number that is not NaN. Python's NaN in a scalar says that there is none: null, and an issue. */
  number(key: string): number | null {
    const value = this.take(key)
    if (value === null) return null
    if (typeof value === 'boolean') return value ? 1 : 0
    const number = asNumber(value)
    if (number === null) return this.wrong(key, 'a number', value, 'bad-value')
    if (!Number.isNaN(number)) return number
    this.issue('not-a-number', key, `${key} is NaN`)
    return null
  }

  /** A number; NaN too, which a reward function that failed leaves and which is not the same as no reward. */
  score(key: string): number | null {
    const value = this.number(key)
    return Number.isNaN(asNumber(this.take(key))) ? Number.NaN : value
  }

  integer(key: string): number | null {
    const value = this.number(key)
    if (value === null || Number.isInteger(value)) return value
    this.issue('bad-value', key, `${key} is no whole number`)
    return null
  }

  /** How many of something: a whole number of at least 1. */
  count(key: string): number | null {
    const value = this.integer(key)
    if (value === null || value >= 1) return value
    this.issue('bad-value', key, `${key} is no whole number of at least 1`)
    return null
  }

  /** A text; numbers and booleans are written out (ids often are numbers). */
  text(key: string): string | null {
    const value = this.take(key)
    if (value === null || typeof value === 'string') return value
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    return this.wrong(key, 'a text', value, 'bad-value')
  }

  /** True or false; 1 and 0, and texts that are one of these (`"False"`, as tables of texts have it), as well. */
  boolean(key: string): boolean | null {
    const value = this.take(key)
    if (value === null || typeof value === 'boolean') return value
    if (value === 'true' || value === 'True') return true
    if (value === 'false' || value === 'False') return false
    const number = asNumber(value)
    if (number === 0 || number === 1) return number === 1
    return this.wrong(key, 'true or false', value, 'bad-value')
  }

  objectAt(key: string): JsonObject | null {
    const value = this.take(key)
    if (value === null || isObject(value)) return value
    return this.wrong(key, 'an object', value)
  }

  /** A list; a text that holds one as JSON (as tables of texts have it) as well. */
  list(key: string): JsonValue[] | null {
    const value = this.take(key)
    if (value === null || Array.isArray(value)) return value
    if (isNumbers(value)) return Array.from(value)
    const held = typeof value === 'string' ? listIn(value) : null
    return held ?? this.wrong(key, 'a list', value)
  }

  /** What a text holds as JSON, as columns of texts have it; any other value as it is. Null, with an issue, where a text is no JSON. */
  json(key: string): JsonValue {
    const value = this.take(key)
    if (typeof value !== 'string') return value
    const held = jsonIn(value)
    return held === undefined ? this.wrong(key, 'JSON', value, 'bad-value') : held
  }

  /** The numeric fields of an object of numbers. NaN fields are left out, with an issue. */
  numbersByName(key: string): Record<string, number> | null {
    const object = this.objectAt(key)
    if (object === null) return null
    const numbers: [string, number][] = []
    for (const [name, value] of Object.entries(object)) {
      const number = asNumber(value)
      if (number !== null && !Number.isNaN(number)) numbers.push([name, number])
      else if (value !== null) this.issue('bad-value', `${key}.${name}`, `${key}.${name} is no number`)
    }
    return numbers.length === 0 ? null : Object.fromEntries(numbers)
  }

  issue(code: string, field: string, message: string): void {
    this.issues.push({ code, field, message })
  }

  /** Fields that nobody took, and those named in `kept`, which the format knows but no stream holds. */
  rest(kept: readonly string[] = []): { readonly meta: Record<string, unknown>; readonly unknown: string[] } {
    const entries: [string, JsonValue][] = []
    const unknown: string[] = []
    for (const [key, value] of Object.entries(this.object)) {
      const known = kept.includes(key)
      if (!known && this.taken.has(key)) continue
      if (!known) unknown.push(key)
      if (value !== null) entries.push([key, value])
    }
    return { meta: Object.fromEntries(entries), unknown }
  }

  private wrong(key: string, expected: string, value: JsonValue, code = 'bad-type'): null {
    this.issue(code, key, `${key} is ${kindOf(value)}, ${expected} was expected`)
    return null
  }
}
