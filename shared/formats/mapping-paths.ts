import type { JsonValue } from '../containers/container.ts'
import { isList, isObject, type Numbers, numbersOf } from './fields.ts'
import type { MapField } from './mapping.ts'

export type ValueKind = 'numbers' | 'list' | 'object' | 'number' | 'text' | 'truth'

/** A place in a record that a mapping can name, and what stands there. */
export interface RecordPath {
  readonly path: string
  readonly kind: ValueKind
  /** For people: `412 numbers: 151644, 8948, 198…`. Text of the dump, to be shown as text only. */
  readonly shown: string
}

const DEPTH = 5
/** A person chooses one of them from a list. */
const MOST_PATHS = 400
const SHOWN_NUMBERS = 4
const SHOWN_CHARACTERS = 40

/** What a field of the native format may be filled from. */
const KINDS: Readonly<Partial<Record<MapField, readonly ValueKind[]>>> = {
  messages: ['list'],
  tools: ['list'],
  documents: ['list'],
  prompt_text: ['text'],
  completion_text: ['text'],
  answer: ['text', 'number'],
  reward: ['number', 'truth'],
  rewards: ['object'],
  advantage: ['number'],
  prompt_length: ['number'],
  id: ['text', 'number'],
  rollout_id: ['text', 'number'],
  group_id: ['text', 'number'],
  group_size: ['number'],
  step: ['number'],
  model: ['text'],
  temperature: ['number'],
  finish_reason: ['text'],
  is_truncated: ['truth'],
}

/** Whether what stands at a path can be read as a field: a list of numbers where the field holds one number per token. */
export function fitsField(field: MapField, { kind }: RecordPath): boolean {
  return (KINDS[field] ?? ['numbers']).includes(kind)
}

/** The places of one record that a mapping can name, outer before inner. Names with a dot or a bracket in them have no path. */
export function pathsOf(record: JsonValue): RecordPath[] {
  const found: RecordPath[] = []
  walk(record, '', 0, found)
  return found
}

function walk(value: JsonValue, path: string, depth: number, found: RecordPath[]): void {
  if (found.length >= MOST_PATHS || depth > DEPTH) return
  const what = path === '' ? null : described(value)
  if (what !== null) found.push({ path, ...what })
  if (isObject(value)) {
    for (const [key, item] of Object.entries(value))
      if (key !== '' && !/[.[\]]/.test(key)) walk(item, path === '' ? key : `${path}.${key}`, depth + 1, found)
  } else if (Array.isArray(value) && value.length === 1) {
    const [only] = value
    if (path !== '' && (isObject(only) || isList(only))) walk(only, `${path}[0]`, depth + 1, found)
  }
}

function described(value: JsonValue): Omit<RecordPath, 'path'> | null {
  if (value === null) return null
  if (typeof value === 'string')
    return { kind: 'text', shown: cut(JSON.stringify(value.slice(0, SHOWN_CHARACTERS * 2))) }
  if (typeof value === 'number') return { kind: 'number', shown: String(value) }
  if (typeof value === 'boolean') return { kind: 'truth', shown: String(value) }
  if (isObject(value)) {
    const keys = Object.keys(value)
    return { kind: 'object', shown: cut(`object of ${keys.slice(0, SHOWN_NUMBERS).join(', ')}`) }
  }
  const numbers = numbersOf(value)
  if (numbers === null || numbers.length === 0) return { kind: 'list', shown: `list of ${value.length}` }
  return { kind: 'numbers', shown: numbersShown(numbers, value) }
}

/** `1019 numbers: 0, 0, 1, 1…`; what a list has not, at its beginning, is counted: `1019 numbers: 254 × null, -0.5, -0.2…` */
function numbersShown(numbers: Numbers, value: JsonValue): string {
  let from = 0
  while (from < numbers.length && Number.isNaN(numbers[from])) from++
  const absent = Array.isArray(value) && value[0] === null ? 'null' : 'NaN'
  const to = from + SHOWN_NUMBERS
  const shown = [...(from === 0 ? [] : [`${from} × ${absent}`]), ...Array.from(numbers.subarray(from, to), String)]
  return `${numbers.length} numbers: ${shown.join(', ')}${numbers.length > to ? '…' : ''}`
}

function cut(text: string): string {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
