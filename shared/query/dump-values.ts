import { FactColumns } from '../checks/facts/fact-columns.ts'
import type { Steps } from '../model/steps.ts'
import type { RolloutColumns } from './columns.ts'
import type { DumpValue, DumpValues } from './language/complete.ts'
import { QUERY_FIELDS } from './language/fields.ts'
import { LEFT_TO_LIMITS, NUMBERS } from './values.ts'
import { Words } from './words.ts'

/** Values of a field that are listed, the commonest first. */
const MOST_VALUES = 100
const WORDS_OF_A_STEP = 1 << 12

interface KnownCheck {
  readonly code: string
  readonly title: string
}

/** The values that the rollouts have for fields, for completion. Takes some milliseconds a field: queries that are asked meanwhile are answered in between. */
export function* dumpValues(columns: RolloutColumns, checks: readonly KnownCheck[]): Steps<DumpValues> {
  const titles = new Map(checks.map(({ code, title }) => [code, title]))
  const values: Record<string, readonly DumpValue[]> = { finding: codeValues(columns, titles) }
  for (const field of ['group', 'environment', 'model', 'source', 'answer']) {
    yield 0
    values[field] = yield* wordValues(columns, field)
  }
  yield 0.5
  values.end = yield* endValues(columns)
  yield 0.6
  values.reward = componentNames(columns)
  const missing = yield* missingFields(columns)
  return { codes: checks.map(({ code, title }) => ({ code, title })), missing, values }
}

function codeValues(columns: RolloutColumns, titles: ReadonlyMap<string, string>): DumpValue[] {
  const { codes, lists, at } = columns.codes()
  const uses = new Uint32Array(lists.length)
  countEach(at, uses)
  const counts = new Uint32Array(codes.length)
  for (const [list, own] of lists.entries()) {
    for (const code of own) counts[code] = (counts[code] as number) + (uses[list] as number)
  }
  return listed(codes.map((value, i) => ({ value, means: titles.get(value) ?? null, count: counts[i] as number })))
}

function* wordValues(columns: RolloutColumns, field: string): Steps<DumpValue[]> {
  const words = new Words(false)
  let counts = new Uint32Array(0)
  for (const { numbers } of columns.wordsByPart({ [field]: words })) {
    counts = withRoom(counts, words.length)
    countEach(numbers[0] as Int32Array, counts)
    yield 0
  }
  return listed(yield* commonest(words, counts.subarray(0, words.length)))
}

function withRoom(counts: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (counts.length >= length) return counts
  const wider = new Uint32Array(2 * length)
  wider.set(counts)
  return wider
}

/** Those of -1, which stands for none, are left out. */
function countEach(numbers: Int32Array, counts: Uint32Array): void {
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number
    if (number >= 0) counts[number] = (counts[number] as number) + 1
  }
}

/** Of very many words, those that can be among the listed: none of the others is as common as the last of them. */
function* commonest(words: Words, counts: Uint32Array): Steps<DumpValue[]> {
  const least = counts.length <= MOST_VALUES ? 0 : (counts.slice().sort().at(-MOST_VALUES) as number)
  const values: DumpValue[] = []
  // Of words that are equally common the first in order are listed.
  const last: string[] = []
  for (let i = 0; i < words.length; i++) {
    if (i % WORDS_OF_A_STEP === WORDS_OF_A_STEP - 1) yield 0
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

/** How rollouts ended by their ids and by the finish reason that was recorded; where both are the same word it counts once. */
function* endValues(columns: RolloutColumns): Steps<DumpValue[]> {
  const [ends, finishes] = [new Words(false), new Words(false)]
  let [endCounts, finishCounts] = [new Uint32Array(0), new Uint32Array(0)]
  /** By number of a finish reason, that of the same end. */
  const same: number[] = []
  for (const { numbers: read } of columns.wordsByPart({ end_reason: ends, finish_reason: finishes })) {
    const [ended, finished] = read as readonly [Int32Array, Int32Array]
    endCounts = withRoom(endCounts, ends.length)
    finishCounts = withRoom(finishCounts, finishes.length)
    const numbers = new Map(Array.from(ends, (word, number) => [word, number]))
    for (let word = 0; word < finishes.length; word++) same[word] = numbers.get(finishes.text(word)) ?? -1
    countEach(ended, endCounts)
    countEach(finished, finishCounts)
    for (let i = 0; i < ended.length; i++) {
      const finish = finished[i] as number
      if (finish >= 0 && same[finish] === ended[i]) finishCounts[finish] = (finishCounts[finish] as number) - 1
    }
    yield 0.5
  }
  const counts = new Map<string, number>()
  for (const [words, own] of [
    [ends, endCounts],
    [finishes, finishCounts],
  ] as const) {
    for (let word = 0; word < words.length; word++) {
      const count = own[word] as number
      if (count > 0) counts.set(words.text(word), (counts.get(words.text(word)) ?? 0) + count)
    }
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
function* missingFields(columns: RolloutColumns): Steps<Record<string, string>> {
  const { facts } = columns
  if (facts.length === 0) return {}
  const first = new FactColumns(facts.slice(0, FIRST))
  const missing: Record<string, string> = {}
  for (const { name, title } of QUERY_FIELDS) {
    if (LEFT_TO_LIMITS[name] !== undefined && !columns.hasNumber(name)) missing[name] = 'no such limit is known here'
    const numbersOf = NUMBERS[name]
    if (numbersOf === undefined || hasNumber(numbersOf(first))) continue
    yield 0.7
    if (!columns.hasNumber(name)) missing[name] = `no rollout of this dump tells its ${title}`
  }
  return missing
}

function hasNumber(values: Float64Array): boolean {
  return values.some((value) => !Number.isNaN(value))
}
