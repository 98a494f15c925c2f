import { nodeHost } from '../../cli/host.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import { addFacts, FactsKeeper, type PackedFacts, packFacts } from '../../shared/checks/kept-facts.ts'
import type { SearchRequest } from '../../shared/session/requests/query.ts'
import { RolloutSearch } from '../../shared/session/search.ts'
import { factsOf } from '../helpers/facts.ts'
import { generator } from './dump.ts'
import { median, processorTime } from './timing.ts'

const ROLLOUTS = 1_000_000
const BATCH = 200
const REPEATS = 7
/** A search that has no columns yet meets the collector in some runs and not in others. */
const FIRST_TIMES = 5
/** Milliseconds in which the collector comes to rest. */
const SETTLED = 2000
const NO_CODES: readonly string[] = []
const CODES: readonly (readonly string[])[] = [['M01'], ['M01', 'T05'], ['C03'], ['L02', 'M10', 'T05']]

const QUERIES: readonly SearchRequest[] = [
  { text: 'reward>=0.5' },
  { text: 'finding:M01 trained_share<0.1 reward>=0.5 -end:length' },
  { text: 'finding:M01 or (step:100..200 tokens>1000) or group:q77*' },
  { text: '', sort: 'reward', descending: true },
  { text: 'reward>=0.5 -finding:T05', sort: 'tokens' },
  { text: 'turns>=3', sort: 'group' },
  { text: 'id:rollout-77*' },
  { text: '', sort: 'id', descending: true },
  { text: '', sort: 'advantage' },
  { text: 'turn_tokens>20 lost:0', sort: 'trained' },
]

const UUID_QUERIES: readonly SearchRequest[] = [{ text: '', sort: 'id' }, { text: 'id:a7*' }]

/**
 * Processor time of a query over the facts of a million rollouts (or of as many as are asked for: beyond a million they come again),
 * filter, order, counts and all; a search that is new has nothing in order yet.
 */
export async function queriesOverRows(rollouts = ROLLOUTS): Promise<void> {
  await queriesOver(
    manyFacts(rollouts, (record) => `rollout-${record}`),
    QUERIES,
  )
  const random = generator(5)
  const digits = (count: number) =>
    Math.floor(random() * 16 ** count)
      .toString(16)
      .padStart(count, '0')
  const uuid = () => `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(6)}${digits(6)}`
  console.log('ids that are UUIDs:')
  await queriesOver(manyFacts(rollouts, uuid), UUID_QUERIES)
}

async function queriesOver(facts: readonly TrajectoryFacts[], queries: readonly SearchRequest[]): Promise<void> {
  const codes = Int32Array.from(facts, (_, index) => (index % 5 === 0 ? 1 + ((index / 5) % CODES.length) : 0))
  // What making them left behind is none of the queries' work.
  await new Promise((resolve) => setTimeout(resolve, SETTLED))
  const origin = {
    facts,
    codesOf: () => NO_CODES,
    codeLists: () => ({ lists: [NO_CODES, ...CODES], at: codes }),
    worstRanks: () => new Uint8Array(facts.length),
    beginLater: () => new Set<never>(),
    sourceName: () => 'rollouts.jsonl',
    revision: 1,
    isDone: true,
    opened: [],
    runtime: { plan: { settings: {} as never, sources: [], checks: null }, tokenizers: [] },
    host: nodeHost(1),
    spans: () => [],
  }
  for (const request of queries) {
    let search = new RolloutSearch(origin)
    const ask = () => search.search(request)
    const first: number[] = []
    for (let time = 0; time < FIRST_TIMES; time++) {
      search = new RolloutSearch(origin)
      first.push(await processorTime(async () => void (await ask())))
    }
    const again: number[] = []
    for (let repeat = 0; repeat < REPEATS; repeat++) again.push(await processorTime(async () => void (await ask())))
    const { indices } = await ask()
    const order = request.sort === undefined ? '' : `, by ${request.sort}`
    const said = `${request.text === '' ? 'all' : request.text}${order}`
    console.log(
      `${said.padEnd(58)} ${median(again).toFixed(0).padStart(4)} ms, the first time ${median(first).toFixed(0)} ms, ${Math.max(...first).toFixed(0)} at most; ${indices.length} fit`,
    )
  }
}

function manyFacts(rollouts: number, idOf: (record: number) => string): TrajectoryFacts[] {
  const random = generator(11)
  const lengths = (most: number) => [1 + Math.floor(random() * most), 1 + Math.floor(random() * most)]
  const keeper = new FactsKeeper()
  const rollout = (record: number) =>
    factsOf(record, {
      id: idOf(record),
      group: `q${record >> 3}`,
      step: Math.floor(record / 2000),
      reward: Math.floor(random() * 101) / 100,
      advantage: random() - 0.5,
      realLength: 100 + Math.floor(random() * 4000),
      trained: Math.floor(random() * 400),
      turns: 3 + Math.floor(random() * 6),
      finishReason: random() < 0.2 ? 'length' : 'stop',
      assistantLengths: lengths(50),
      toolReplyLengths: lengths(400),
    })
  // As a session keeps them: in columns, batch by batch.
  const facts: TrajectoryFacts[] = []
  const packed: PackedFacts[] = []
  for (let batch = 0; batch < rollouts / BATCH; batch++) {
    const own = batch % (ROLLOUTS / BATCH)
    packed[own] ??= packFacts(Array.from({ length: BATCH }, (_, at) => rollout(own * BATCH + at)))
    addFacts(facts, keeper.unpack(packed[own]))
  }
  return facts
}
