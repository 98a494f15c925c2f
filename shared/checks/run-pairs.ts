import type { TrajectoryFacts } from './facts.ts'

export type Rows = readonly TrajectoryFacts[]

/** Rollouts of one question in this run, and in a second one. */
export interface QuestionPair {
  readonly rows: Rows
  readonly others: Rows
}

/** The questions that both runs have. */
export function pairedQuestions(facts: Rows, otherFacts: Rows): QuestionPair[] {
  const there = byQuestion(otherFacts)
  return [...byQuestion(facts)].flatMap(([question, rows]) => {
    const others = there.get(question)
    return others === undefined ? [] : [{ rows, others }]
  })
}

function byQuestion(facts: Rows): Map<string, TrajectoryFacts[]> {
  return gatheredBy(facts, ({ pairing }) => pairing?.question ?? null)
}

/** Rollouts with a finite reward, by the words of their last message. */
export function rewardedByAnswer(rows: Rows): Map<string, TrajectoryFacts[]> {
  return gatheredBy(rows, ({ pairing, reward }) =>
    reward !== null && Number.isFinite(reward) ? (pairing?.answer ?? null) : null,
  )
}

/** Mean reward of each answer, by its words. */
export function meanRewardsByAnswer(rows: Rows): Map<string, number> {
  return new Map([...rewardedByAnswer(rows)].map(([answer, same]) => [answer, meanReward(same)]))
}

/** Of rollouts that all have one. */
export function meanReward(rows: Rows): number {
  return rows.reduce((sum, { reward }) => sum + (reward as number), 0) / rows.length
}

function gatheredBy(facts: Rows, keyOf: (row: TrajectoryFacts) => string | null): Map<string, TrajectoryFacts[]> {
  const gathered = new Map<string, TrajectoryFacts[]>()
  for (const row of facts) {
    const key = keyOf(row)
    if (key === null) continue
    const rows = gathered.get(key)
    if (rows === undefined) gathered.set(key, [row])
    else rows.push(row)
  }
  return gathered
}
