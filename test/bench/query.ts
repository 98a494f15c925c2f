import { nodeHost } from '../../cli/host.ts'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import type { SearchRequest } from '../../shared/session/requests/query.ts'
import { RolloutSearch } from '../../shared/session/search.ts'
import { factsOf } from '../helpers/facts.ts'
import { generator } from './dump.ts'
import { interleaved, median, print } from './timing.ts'

const ROLLOUTS = 1_000_000
const NO_CODES: readonly string[] = []
const CODES: readonly (readonly string[])[] = [['M01'], ['M01', 'T05'], ['C03'], ['L02', 'M10', 'T05']]

const QUERIES: readonly SearchRequest[] = [
  { text: 'reward>=0.5' },
  { text: 'finding:M01 trained_share<0.1 reward>=0.5 -end:length' },
  { text: 'finding:M01 or (step:100..200 tokens>1000) or group:q77*' },
  { text: '', sort: 'reward', descending: true },
  { text: 'reward>=0.5 -finding:T05', sort: 'tokens' },
  { text: 'turns>=3', sort: 'group' },
  { text: '', sort: 'id', descending: true },
]

/** What a query over the facts of a million rollouts costs, filter, order, counts and all; and what the first one costs more. */
export async function queriesOverRows(): Promise<void> {
  const facts = manyFacts()
  const origin = {
    facts,
    codesOf: (index: number) => (index % 5 === 0 ? (CODES[(index / 5) % CODES.length] as readonly string[]) : NO_CODES),
    worstOf: () => null,
    sourceName: () => 'rollouts.jsonl',
    revision: 1,
    isDone: true,
    opened: [],
    runtime: { plan: { settings: {} as never, sources: [], checks: null }, tokenizers: [] },
    host: nodeHost(1),
    spans: () => [],
  }
  let search = new RolloutSearch(origin)
  for (const request of QUERIES) {
    const said = `${request.text === '' ? 'all' : request.text}${request.sort === undefined ? '' : `, by ${request.sort}`}`
    search = new RolloutSearch(origin)
    const began = performance.now()
    const { indices } = await search.search(request)
    const first = performance.now() - began
    const [times] = await interleaved([async () => void (await search.search(request))])
    print(`${said.slice(0, 57)}`, times)
    console.log(
      `  ${indices.length} of ${ROLLOUTS} rollouts; columns made for the first time: ${(first - median(times ?? [])).toFixed(0)} ms`,
    )
  }
}

function manyFacts(): TrajectoryFacts[] {
  const random = generator(11)
  const lengths = [30, 30]
  const replies = [40]
  return Array.from({ length: ROLLOUTS }, (_, record) =>
    factsOf(record, {
      id: `rollout-${record}`,
      group: `q${record >> 3}`,
      step: Math.floor(record / 2000),
      reward: Math.floor(random() * 101) / 100,
      realLength: 100 + Math.floor(random() * 4000),
      trained: Math.floor(random() * 400),
      turns: 3 + Math.floor(random() * 6),
      finishReason: random() < 0.2 ? 'length' : 'stop',
      assistantLengths: lengths,
      toolReplyLengths: replies,
    }),
  )
}
