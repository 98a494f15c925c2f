import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { addFacts, FactsKeeper, type PackedFacts, packFacts } from '../../shared/checks/facts/kept-facts.ts'
import { packColumn } from '../../shared/checks/facts/packed-columns.ts'
import { factsOf } from '../helpers/facts.ts'
import { generator } from './dump.ts'

/** Rollouts of which every fact is made; of more, ids, groups and advantages are their own and all else comes again. */
const DIFFERENT = 100_000
const BATCH = 200
const ROLLOUTS_OF_A_FILE = 200_000

/** Facts of rollouts that have something of everything a query may ask for, kept as a session keeps them: in columns, batch by batch. */
export function manyFacts(rollouts: number, idOf: (record: number) => string): TrajectoryFacts[] {
  const random = generator(11)
  const keeper = new FactsKeeper()
  const facts: TrajectoryFacts[] = []
  const packed: PackedFacts[] = []
  const places = placesOfOwn(packFacts([rollout(0, random)]))
  for (let first = 0; first < rollouts; first += BATCH) {
    const batch = Math.floor(first / BATCH) % (DIFFERENT / BATCH)
    packed[batch] ??= packFacts(Array.from({ length: BATCH }, (_, at) => rollout(first + at, random)))
    const { columns, rows, buffer } = packed[batch]
    const records = Array.from({ length: BATCH }, (_, at) => first + at)
    const own = columns
      .with(places.id, packColumn(records.map(idOf)))
      .with(places.group, packColumn(records.map((record) => `q${record >> 3}`)))
      .with(places.advantage, packColumn(records.map(() => random() - 0.5)))
    addFacts(facts, keeper.keep({ rows, columns: own, buffer })())
  }
  return facts
}

export function nameOfSource(source: number): string {
  return `step_${source}.jsonl`
}

/** Where the columns stand of what every rollout has for itself. */
function placesOfOwn({ columns }: PackedFacts) {
  const placeOf = (value: unknown) => columns.findIndex((column) => column.values === value)
  return { id: placeOf(THE_ID), group: placeOf(THE_GROUP), advantage: placeOf(THE_ADVANTAGE) }
}

const [THE_ID, THE_GROUP, THE_ADVANTAGE] = ['the id', 'the group', 0.123]

function rollout(record: number, random: () => number): TrajectoryFacts {
  const upTo = (most: number) => Math.floor(random() * most)
  const share = (of: number) => random() < of
  const count = 1 + upTo(400)
  return factsOf(record, {
    place: { source: Math.floor(record / ROLLOUTS_OF_A_FILE), record: record % ROLLOUTS_OF_A_FILE, part: 0 },
    id: THE_ID,
    group: THE_GROUP,
    step: Math.floor(record / 2000),
    reward: upTo(101) / 100,
    rewards: { format: Number(share(0.7)), answer: random() },
    advantage: THE_ADVANTAGE,
    maxAdvantage: random(),
    realLength: 100 + upTo(4000),
    promptLength: 20 + upTo(400),
    trained: share(0.02) ? null : upTo(400),
    padding: share(0.5) ? upTo(200) : 0,
    turns: 3 + upTo(6),
    assistantTurns: 1 + upTo(3),
    toolTurns: upTo(3),
    edges: upTo(1 << 30),
    endReason: share(0.1) ? 'cut-prose' : 'stop',
    finishReason: share(0.2) ? 'length' : 'stop',
    isTruncated: share(0.2),
    excluded: share(0.01),
    model: share(0.5) ? 'Qwen/Qwen3-8B' : 'Qwen/Qwen3-8B-step',
    temperature: share(0.5) ? 1 : 0.7,
    answerPlace: share(0.5) ? 'model' : share(0.5) ? 'environment' : 'nowhere',
    lost: share(0.05) ? upTo(100) : 0,
    assistantLengths: [1 + upTo(50), 1 + upTo(50)],
    toolReplyLengths: [1 + upTo(400), 1 + upTo(400)],
    supportingDocuments: share(0.5) ? { available: 4, retrieved: upTo(5), visible: upTo(5), standing: 0 } : null,
    gap: {
      count,
      sum: random(),
      absolute: random() * count,
      squares: random(),
      largest: random(),
      trainerSum: -random(),
      samplerValues: count,
      samplerHash: record.toString(16).padStart(16, 'b'),
    },
    kl: {
      count,
      formulas: [random(), random(), random() * count, random()],
      largest: random(),
      largestToken: upTo(400),
      trainerSum: -random(),
      referenceSum: -random(),
      stored: null,
      declared: null,
    },
    ...(share(0.01) ? { cutLeft: { tokens: [0, upTo(20)], text: 'of', lost: upTo(90) } } : {}),
    ...(share(0.01) ? { cutReplies: [{ tokens: 1 + upTo(400), characters: 1 + upTo(900) }] } : {}),
  })
}
