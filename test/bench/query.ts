import { nodeHost } from '../../cli/host.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { QUERY_FIELDS } from '../../shared/query/language/fields.ts'
import type { SearchMarks } from '../../shared/query/marks.ts'
import type { SearchRequest } from '../../shared/session/requests/query.ts'
import { RolloutSearch } from '../../shared/session/search/search.ts'
import { dumpOf } from '../helpers/facts.ts'
import { generator } from './dump.ts'
import { manyFacts, nameOfSource } from './query-facts.ts'
import { median, processorTime, threadTime } from './timing.ts'

const ROLLOUTS = 1_000_000
const REPEATS = 5
/** A search that has no columns yet meets the collector in some runs and not in others. */
const FIRST_TIMES = 5
/** Milliseconds in which the collector comes to rest. */
const SETTLED = 2000
/** Milliseconds for each million rollouts. */
const GOAL = 100
const NO_CODES: readonly string[] = []
const CODES: readonly (readonly string[])[] = [['M01'], ['M01', 'T05'], ['C03'], ['L02', 'M10', 'T05']]

/** Several terms, and queries whose terms and order differ. */
const TOGETHER: readonly SearchRequest[] = [
  { text: 'reward>=0.5' },
  { text: 'finding:M01 trained_share<0.1 reward>=0.5 -end:length' },
  { text: 'finding:M01 or (step:100..200 tokens>1000) or group:q77*' },
  { text: 'reward>=0.5 -finding:T05', sort: 'tokens' },
  { text: 'turns>=3', sort: 'group' },
  { text: 'turn_tokens>20 lost:0', sort: 'trained' },
  { text: 'id:rollout-77*' },
  { text: 'id:*77*' },
  { text: 'id:/^rollout-7+$/' },
  { text: 'group:/7$/' },
  { text: 'reward.format:1 reward.answer<0.5' },
  { text: 'lost:any' },
  { text: 'end:cut' },
  { text: 'has:documents' },
  { text: 'finding:M01,T05 or severity:error' },
  { text: 'index:1000..2000 reward>=0.5' },
]

const UUID_QUERIES: readonly SearchRequest[] = [{ text: '', sort: 'id' }, { text: 'id:a7*' }, { text: 'id:*a7*' }]

/** What each field that needs no reading gives as its example, and all rollouts in its order. */
function queriesByField(): SearchRequest[] {
  const answered = QUERY_FIELDS.filter(({ reads }) => reads !== 'tokens')
  const unsorted = ['has', 'edge']
  return [
    ...answered.map(({ example }) => ({ text: example })),
    ...answered.flatMap(({ name }) => (unsorted.includes(name) ? [] : { text: '', sort: name })),
    { text: '', sort: 'reward', descending: true },
    { text: '', sort: 'id', descending: true },
    { text: '', sort: 'reward.answer', descending: true },
  ]
}

/**
 * What a query over the facts of a million rollouts takes (or of as many as are asked for): filter, order, counts and all; a search that is new has
 * nothing in order yet. Time that the thread itself ran, which is what a person waits for, and of the first time that of the whole process,
 * the collector's threads included.
 */
export async function queriesOverRows(rollouts = ROLLOUTS): Promise<void> {
  const slow = await queriesOver(
    manyFacts(rollouts, (record) => `rollout-${record}`),
    [...TOGETHER, ...queriesByField()],
  )
  const random = generator(5)
  const digits = (count: number) =>
    Math.floor(random() * 16 ** count)
      .toString(16)
      .padStart(count, '0')
  const uuid = () => `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(6)}${digits(6)}`
  console.log('ids that are UUIDs:')
  const slowOfIds = await queriesOver(manyFacts(rollouts, uuid), UUID_QUERIES)
  console.log(`${slow + slowOfIds} above ${GOAL} ms a million`)
}

/** How many are above the goal. */
async function queriesOver(facts: readonly TrajectoryFacts[], queries: readonly SearchRequest[]): Promise<number> {
  const millions = facts.length / 1_000_000
  const codes = Int32Array.from(facts, (_, index) => (index % 5 === 0 ? 1 + ((index / 5) % CODES.length) : 0))
  // What making them left behind is none of the queries' work.
  await new Promise((resolve) => setTimeout(resolve, SETTLED))
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
  const megabytes = [rss, heapUsed, arrayBuffers].map((bytes) => (bytes / 1_000_000).toFixed(0))
  console.log(
    `${facts.length} rollouts: ${megabytes[0]} MB, of which objects ${megabytes[1]} MB and arrays ${megabytes[2]} MB`,
  )
  const origin = {
    facts,
    codesOf: () => NO_CODES,
    codeLists: () => ({ lists: [NO_CODES, ...CODES], at: codes }),
    worstRanks: () => new Uint8Array(facts.length),
    beginLater: () => new Set<never>(),
    openEnds: () => new Set<never>(),
    refutedStops: () => new Set<never>(),
    limits: () => dumpOf([]),
    sourceName: nameOfSource,
    revision: 1,
    isDone: true,
    opened: [],
    runtime: { plan: { settings: {} as never, sources: [], checks: null }, tokenizers: [] },
    host: nodeHost(1),
    spans: () => [],
  }
  let slow = 0
  for (const query of queries) {
    const request = { ...query, marks: MARKS }
    let search = new RolloutSearch(origin)
    const ask = async () => void (await search.search(request))
    const first: number[] = []
    const process: number[] = []
    for (let time = 0; time < FIRST_TIMES; time++) {
      search = new RolloutSearch(origin)
      process.push((await processorTime(async () => void first.push(await threadTime(ask)))) / millions)
    }
    const again: number[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) again.push((await threadTime(ask)) / millions)
    const { indices } = await search.search(request)
    const firsts = first.map((time) => time / millions)
    const times = [median(again), median(firsts), Math.max(...firsts), median(process)]
    if (times.some((time) => time > GOAL)) slow++
    const order = request.sort === undefined ? '' : `, by ${request.sort}`
    const said = `${request.text === '' ? 'all' : request.text}${order}`
    const told = times.map((time) => time.toFixed(0).padStart(5))
    console.log(
      `${said.padEnd(58)}${told[0]}, first${told[1]}, at most${told[2]}, process${told[3]} ms a million; ${indices.length} fit`,
    )
  }
  return slow
}

/** A few hundred, as people give them. */
const MARKS: SearchMarks = {
  flagged: Array.from({ length: 300 }, (_, i) => i * 997),
  labels: { 'reward hack': Array.from({ length: 200 }, (_, i) => i * 1009), good: [1, 5, 9] },
  notes: Array.from({ length: 100 }, (_, i) => ({ index: i * 1013, text: i % 2 === 0 ? 'template' : 'look again' })),
}
