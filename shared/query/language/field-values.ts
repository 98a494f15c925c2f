import type { QueryField } from './field.ts'

/** The choice of a field that a text names, in any case. */
export function choiceOf(field: QueryField, text: string): string | null {
  const wanted = text.toLowerCase()
  return field.choices.find(({ value }) => value === wanted)?.value ?? null
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** Null where it is none. Percentages are for shares. */
export function numberOf(text: string, field: QueryField): number | null {
  const isPercent = text.endsWith('%') && field.unit === 'share'
  const digits = isPercent ? text.slice(0, -1) : text
  if (/^[+-]?inf(inity)?$/i.test(digits))
    return digits.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  if (!NUMBER.test(digits)) return null
  // Zero has no sign here: it would not be written back.
  return Number(digits) / (isPercent ? 100 : 1) + 0
}

/** How a number of the field may be written, where there is more than one way. */
export function unitHint(field: QueryField): string {
  return field.unit === 'share' ? ' (a share such as `0.1` or `10%`)' : ''
}

/** Of the field alone: the first clause of its example. */
export function exampleOf(field: QueryField): string {
  return field.example.split(' ').find((clause) => clause.replace(/^-/, '').startsWith(field.name)) ?? field.example
}

/** What may stand behind a field's name. */
export function operatorsOf(field: QueryField): string[] {
  if (field.type === 'flag') return []
  return field.type === 'number' ? ['>=', '<=', '>', '<', ':', '!='] : [':', '!=']
}

/** What may stand as a value, for people. */
export function valuesOf(field: QueryField): string[] {
  const words = field.choices.map(({ value }) => value)
  if (field.type === 'number') return ['a number', 'a range', ...words]
  return field.type === 'text' ? ['a word', 'a quoted text', 'a regular expression'] : words
}

/** `a, b or c`. */
export function orList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
