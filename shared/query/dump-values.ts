import { FactColumns } from '../checks/fact-columns.ts'
import type { RolloutColumns } from './columns.ts'
import type { DumpValue, DumpValues } from './language/complete.ts'
import { QUERY_FIELDS } from './language/fields.ts'
import { NUMBERS } from './values.ts'
import type { Words } from './words.ts'

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
  const { codes, lists, at } = columns.codes()
  const uses = new Uint32Array(lists.length)
  for (const list of at) uses[list] = (uses[list] as number) + 1
  const counts = new Uint32Array(codes.length)
  for (const [list, own] of lists.entries()) {
    for (const code of own) counts[code] = (counts[code] as number) + (uses[list] as number)
  }
  return listed(codes.map((value, i) => ({ value, means: titles.get(value) ?? null, count: counts[i] as number })))
}

function wordValues(columns: RolloutColumns, field: string): DumpValue[] {
  const { words, at } = columns.word(field)
  const counts = new Uint32Array(words.length)
  for (const word of at) if (word >= 0) counts[word] = (counts[word] as number) + 1
  return listed(commonest(words, counts))
}

/** Of very many words, those that can be among the listed: none of the others is as common as the last of them. */
function commonest(words: Words, counts: Uint32Array): DumpValue[] {
  const least = counts.length <= MOST_VALUES ? 0 : (counts.slice().sort().at(-MOST_VALUES) as number)
  const values: DumpValue[] = []
  // Of words that are equally common the first in order are listed.
  const last: string[] = []
  for (let i = 0; i < words.length; i++) {
    const count = counts[i] as number
    if (count < least) continue
    const value = words.text(i)
    if (count > least) values.push({ value, means: null, count })
    else insert(last, value)
  }
  return [...values, ...last.map((value) => ({ value, means: null, count: least }))]
}

/** Into words in order, of which only so many are kept. */
function insert(words: string[], word: string): void {
  if (words.length === MOST_VALUES && word >= (words[MOST_VALUES - 1] as string)) return
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((words[middle] as string) < word) low = middle + 1
    else high = middle
  }
  words.splice(low, 0, word)
  if (words.length > MOST_VALUES) words.pop()
}

function endValues(columns: RolloutColumns): DumpValue[] {
  const counts = new Map<string, number>()
  const add = (word: string | undefined) => word !== undefined && counts.set(word, (counts.get(word) ?? 0) + 1)
  const [own, told] = [columns.word('end_reason'), columns.word('finish_reason')]
  const [ends, finishes] = [[...own.words], [...told.words]]
  for (let i = 0; i < columns.size; i++) {
    const end = ends[own.at[i] as number]
    const finish = finishes[told.at[i] as number]
    add(end)
    if (finish !== end) add(finish)
  }
  return listed([...counts].map(([value, count]) => ({ value, means: null, count })))
}

/** Names of the components of rewards, by which `reward.NAME` is completed. */
function componentNames(columns: RolloutColumns): DumpValue[] {
  return listed([...columns.components()].map(([value, count]) => ({ value, means: null, count })))
}

function listed(values: readonly DumpValue[]): DumpValue[] {
  return [...values].sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)).slice(0, MOST_VALUES)
}

/** So many rollouts mostly tell what there is. */
const FIRST = 64

/** Fields that read facts and have a number in no rollout. */
function missingFields(columns: RolloutColumns): Record<string, string> {
  const { facts } = columns
  if (facts.length === 0) return {}
  const first = new FactColumns(facts.slice(0, FIRST))
  const hasNumber = (values: Float64Array) => values.some((value) => !Number.isNaN(value))
  const missing = QUERY_FIELDS.filter(({ name }) => {
    const numbersOf = NUMBERS[name]
    return numbersOf !== undefined && !hasNumber(numbersOf(first)) && !hasNumber(columns.number(name))
  })
  return Object.fromEntries(missing.map(({ name, title }) => [name, `no rollout of this dump tells its ${title}`]))
}
