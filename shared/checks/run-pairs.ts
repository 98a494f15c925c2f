import { atOnce, forEachOf, type Steps, within } from '../model/steps.ts'
import type { TrajectoryFacts } from './facts.ts'

export type Rows = readonly TrajectoryFacts[]

/** Rollouts of one question in this run, and in a second one. */
export interface QuestionPair {
  readonly rows: Rows
  readonly others: Rows
}

interface Known {
  readonly others: Rows
  readonly pairs: readonly QuestionPair[]
  /** How many rollouts there were: while a run is read there are more of them each time. */
  readonly sizes: readonly [number, number]
}

const known = new WeakMap<Rows, Known>()

/** The questions that both runs have. Several checks and verdicts ask for those of the same two. */
export function* pairingQuestions(facts: Rows, otherFacts: Rows): Steps<readonly QuestionPair[]> {
  const before = known.get(facts)
  const sizes = [facts.length, otherFacts.length] as const
  const isSame = before?.others === otherFacts && before.sizes[0] === sizes[0] && before.sizes[1] === sizes[1]
  if (before !== undefined && isSame) return before.pairs
  const there = yield* within(0, 0.5, byQuestion(otherFacts))
  const thereByIds = new Map<string, TrajectoryFacts[]>()
  for (const rows of there.values()) {
    const ids = idsOf(rows)
    if (ids !== null && !thereByIds.has(ids)) thereByIds.set(ids, rows)
  }
  const pairs: QuestionPair[] = []
  for (const [question, rows] of yield* within(0.5, 1, byQuestion(facts))) {
    // Where one of the runs has no words, its questions are named by their ids, which the other has beside its words.
    const others = there.get(question) ?? thereByIds.get(question) ?? there.get(idsOf(rows) ?? '')
    if (others !== undefined) pairs.push({ rows, others })
  }
  known.set(facts, { others: otherFacts, pairs, sizes })
  return pairs
}

function idsOf(rows: Rows): string | null {
  return rows.find(({ pairing }) => pairing?.questionIds !== undefined)?.pairing?.questionIds ?? null
}

function byQuestion(facts: Rows): Steps<Map<string, TrajectoryFacts[]>> {
  return gatheredBy(facts, ({ pairing }) => pairing?.question ?? null)
}

/** Rollouts with a finite reward, by the words of their last message. */
export function rewardedByAnswer(rows: Rows): Map<string, TrajectoryFacts[]> {
  const answerOf = ({ pairing, reward }: TrajectoryFacts) =>
    reward !== null && Number.isFinite(reward) ? (pairing?.answer ?? null) : null
  return atOnce(gatheredBy(rows, answerOf))
}

/** Mean reward of each answer, by its words. */
export function meanRewardsByAnswer(rows: Rows): Map<string, number> {
  return new Map([...rewardedByAnswer(rows)].map(([answer, same]) => [answer, meanReward(same)]))
}

/** Of rollouts that all have one. */
export function meanReward(rows: Rows): number {
  return rows.reduce((sum, { reward }) => sum + (reward as number), 0) / rows.length
}

function* gatheredBy(
  facts: Rows,
  keyOf: (row: TrajectoryFacts) => string | null,
): Steps<Map<string, TrajectoryFacts[]>> {
  const gathered = new Map<string, TrajectoryFacts[]>()
  let [last, rows]: [string | null, TrajectoryFacts[]] = [null, []]
  yield* forEachOf(facts, (row) => {
    const key = keyOf(row)
    if (key === null) return
    // Rollouts of one question mostly stand beside each other.
    if (key !== last) {
      rows = gathered.get(key) ?? []
      if (rows.length === 0) gathered.set(key, rows)
      last = key
    }
    rows.push(row)
  })
  return gathered
}

/** How many questions a run has. */
export function countQuestions(facts: Rows): number {
  const seen = new Set<string>()
  let last: string | null = null
  for (const { pairing } of facts) {
    const question = pairing?.question ?? null
    if (question === null || question === last) continue
    seen.add(question)
    last = question
  }
  return seen.size
}
