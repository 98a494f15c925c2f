import { END_REASONS, type EndReason } from '../checks/facts/facts.ts'
import type { RolloutColumns, WordColumn } from './columns.ts'
import { fieldNamed } from './language/fields.ts'
import { roomForNumbers } from './order-memory.ts'
import { NUMBER_LISTS } from './values.ts'
import type { MarkColumns } from './verdicts.ts'
import { wordRanks } from './word-order.ts'
import type { Words } from './words.ts'

/** Columns of tables that are called otherwise than the fields that they show. */
const SHORT: Readonly<Record<string, string>> = {
  trained: 'trained_share',
  trainedTokens: 'trained_tokens',
  prompt: 'prompt_tokens',
  completion: 'completion_tokens',
  worst: 'severity',
  gap: 'mean_gap',
  kl: 'mean_kl',
  labels: 'label',
  notes: 'note',
}

/** A number a rollout by which rollouts are sorted, NaN where it has none. Throws with a sentence for what nothing is sorted by. */
export function sortValues(name: string, columns: RolloutColumns, marks: MarkColumns): Float64Array {
  const given = Object.hasOwn(SHORT, name) ? (SHORT[name] as string) : name
  const dot = given.indexOf('.')
  const base = dot < 0 ? given : given.slice(0, dot)
  const component = dot < 0 ? null : given.slice(dot + 1)
  const field = fieldNamed(base)
  if (
    field === null ||
    field.reads === 'tokens' ||
    field.name === 'has' ||
    field.name === 'edge' ||
    (component !== null && !field.hasComponents)
  )
    throw new Error(`Rollouts are not sorted by ${name}.`)
  const { size } = columns
  switch (field.name) {
    case 'finding':
      return columns.number('findings')
    case 'severity':
      return numbered(columns.worst())
    case 'end':
      return placed(columns.word('end_reason'), (words) =>
        Array.from(words, (word) => END_REASONS.indexOf(word as EndReason)),
      )
    case 'flag':
      return flags(size, marks.flagged)
    case 'label':
      return firstWords(size, firstLabels(marks))
    case 'note':
      return firstWords(size, new Map([...marks.notes].map(([index, texts]) => [index, texts[0] as string])))
    case 'excluded':
    case 'truncated':
      return numbered(columns.holds(field.name, 'yes'))
  }
  if (NUMBER_LISTS[field.name] !== undefined) return columns.largest(field.name)
  if (field.type === 'number') return columns.number(field.name, component)
  return columns.wordRanks(field.name) ?? placed(columns.word(field.name), (words) => words.ranks())
}

/** In memory that sorts use again: eighty megabytes of ten million rollouts set the collector to work. */
function numbered(given: Uint8Array): Float64Array {
  const values = roomForNumbers(given.length)
  for (let i = 0; i < given.length; i++) values[i] = given[i] as number
  return values
}

/** By rollout what is known by word. */
function placed({ words, at }: WordColumn, valuesOf: (words: Words) => ArrayLike<number>): Float64Array {
  const byWord = valuesOf(words)
  // Ids are as many as rollouts, and in their order.
  if (byWord instanceof Float64Array && byWord.length === at.length && at.every((word, i) => word === i)) return byWord
  const values = roomForNumbers(at.length)
  for (let i = 0; i < at.length; i++) {
    const word = at[i] as number
    values[i] = word < 0 ? Number.NaN : (byWord[word] as number)
  }
  return values
}

function flags(size: number, flagged: Iterable<number>): Float64Array {
  const values = roomForNumbers(size).fill(0)
  for (const index of flagged) if (index < size) values[index] = 1
  return values
}

function firstLabels({ labels }: MarkColumns): Map<number, string> {
  const first = new Map<number, string>()
  for (const [label, indices] of labels) {
    for (const index of indices) {
      const known = first.get(index)
      if (known === undefined || label < known) first.set(index, label)
    }
  }
  return first
}

function firstWords(size: number, words: ReadonlyMap<number, string>): Float64Array {
  const values = roomForNumbers(size).fill(Number.NaN)
  const given = [...new Set(words.values())]
  const ranked = wordRanks(given)
  const places = new Map(given.map((word, i) => [word, ranked[i] as number]))
  for (const [index, word] of words) if (index >= 0 && index < size) values[index] = places.get(word) as number
  return values
}
