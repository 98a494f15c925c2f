import type { RolloutColumns } from './columns.ts'
import type { DumpValue, DumpValues } from './language/complete.ts'
import { QUERY_FIELDS } from './language/fields.ts'
import { NUMBERS } from './values.ts'

/** Values of a field that are listed, the commonest first. */
const MOST_VALUES = 100

interface KnownCheck {
  readonly code: string
  readonly title: string
}

/** The values that the rollouts have for fields, for completion. */
export function dumpValues(columns: RolloutColumns, checks: readonly KnownCheck[]): DumpValues {
  const titles = new Map(checks.map(({ code, title }) => [code, title]))
  const values: Record<string, readonly DumpValue[]> = { finding: codeValues(columns, titles) }
  for (const field of ['group', 'model', 'source', 'answer']) values[field] = wordValues(columns, field)
  values.end = endValues(columns)
  values.reward = componentNames(columns)
  return { codes: checks.map(({ code, title }) => ({ code, title })), missing: missingFields(columns), values }
}

function codeValues(columns: RolloutColumns, titles: ReadonlyMap<string, string>): DumpValue[] {
  const { codes, values } = columns.codes()
  const counts = new Uint32Array(codes.length)
  for (const code of values) counts[code] = (counts[code] as number) + 1
  return listed(codes.map((value, i) => ({ value, means: titles.get(value) ?? null, count: counts[i] as number })))
}

function wordValues(columns: RolloutColumns, field: string): DumpValue[] {
  const { words, at } = columns.word(field)
  const counts = new Uint32Array(words.length)
  for (const word of at) if (word >= 0) counts[word] = (counts[word] as number) + 1
  return listed(words.map((value, i) => ({ value, means: null, count: counts[i] as number })))
}

function endValues(columns: RolloutColumns): DumpValue[] {
  const counts = new Map<string, number>()
  for (const { endReason, finishReason } of columns.facts) {
    for (const way of new Set([endReason, ...(finishReason === null ? [] : [finishReason])])) {
      counts.set(way, (counts.get(way) ?? 0) + 1)
    }
  }
  return listed([...counts].map(([value, count]) => ({ value, means: null, count })))
}

/** Names of the components of rewards, by which `reward.NAME` is completed. */
function componentNames(columns: RolloutColumns): DumpValue[] {
  const counts = new Map<string, number>()
  for (const { rewards } of columns.facts) {
    for (const name of Object.keys(rewards ?? {})) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return listed([...counts].map(([value, count]) => ({ value, means: null, count })))
}

function listed(values: readonly DumpValue[]): DumpValue[] {
  return [...values].sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, MOST_VALUES)
}

/** Fields that read facts and have a number in no rollout. */
function missingFields(columns: RolloutColumns): Record<string, string> {
  const missing: Record<string, string> = {}
  if (columns.size === 0) return missing
  for (const { name, title } of QUERY_FIELDS) {
    if (NUMBERS[name] === undefined || columns.number(name).some((value) => !Number.isNaN(value))) continue
    missing[name] = `no rollout of this dump tells its ${title}`
  }
  return missing
}
