import { atOnce, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { isNameByIds } from '../texts/pairing.ts'
import { byOwnSentences, type KnownQuestion } from '../texts/question-sentences.ts'

export type Rows = readonly TrajectoryFacts[]

/** Rollouts of one question in this run, and in a second one. */
export interface BothSides {
  readonly rows: Rows
  readonly others: Rows
}

export interface QuestionPair extends BothSides {
  /** Each run puts other sentences around the question (`Answer in \boxed{}.`). */
  readonly isReworded: boolean
}

export interface QuestionPairs {
  readonly pairs: readonly QuestionPair[]
  /** How many questions this run has, and the second one. */
  readonly questions: readonly [number, number]
}

interface Known extends QuestionPairs {
  readonly others: Rows
  /** How many rollouts there were: while a run is read there are more of them each time. */
  readonly sizes: readonly [number, number]
}

const known = new WeakMap<Rows, Known>()

/** The questions that both runs have. Several checks and verdicts ask for those of the same two. */
export function* pairingQuestions(facts: Rows, otherFacts: Rows): Steps<QuestionPairs> {
  const before = known.get(facts)
  const sizes = [facts.length, otherFacts.length] as const
  const isSame = before?.others === otherFacts && before.sizes[0] === sizes[0] && before.sizes[1] === sizes[1]
  if (before !== undefined && isSame) return before
  const names = yield* within(0, 0.2, namesByIds(facts))
  const otherNames = yield* within(0.2, 0.4, namesByIds(otherFacts))
  const here = yield* within(0.4, 0.7, byQuestion(facts, names, otherNames))
  const there = yield* within(0.7, 1, byQuestion(otherFacts, otherNames, names))
  const reworded = rewordedQuestions(here, there)
  const pairs: QuestionPair[] = []
  for (const [question, rows] of here) {
    const same = there.get(question)
    const others = same ?? there.get(reworded.get(question) ?? '')
    if (others !== undefined) pairs.push({ rows, others, isReworded: same === undefined })
  }
  const found: Known = { others: otherFacts, pairs, questions: [here.size, there.size], sizes }
  known.set(facts, found)
  return found
}

/**
 * How the second run names questions of this one that it has in other words: those of which the same sentences are left in both once those are taken
 * off that half of the questions of a run have. None where a run has several that are alike then.
 */
function rewordedQuestions(here: Questions, there: Questions): ReadonlyMap<string, string> {
  const [own, others] = [questionsOfWords(here), questionsOfWords(there)]
  const found = new Map<string, string>()
  // Mostly each is in the other run word for word.
  if (own.every(({ words }) => there.has(words)) || others.every(({ words }) => here.has(words))) return found
  const byOthers = byOwnSentences(others)
  for (const [left, place] of byOwnSentences(own)) {
    const other = others[byOthers.get(left) ?? -1]
    const { words } = own[place] as KnownQuestion
    if (other !== undefined && !there.has(words) && !here.has(other.words)) found.set(words, other.words)
  }
  return found
}

type Questions = ReadonlyMap<string, Rows>

function questionsOfWords(questions: Questions): KnownQuestion[] {
  return [...questions].flatMap(([words, [row]]) =>
    isNameByIds(words) ? [] : [{ words, sentences: row?.pairing?.questionSentences ?? null }],
  )
}

/** How questions are named, by their ids: by their words where a rollout has both, else by the ids themselves. */
function* namesByIds(facts: Rows): Steps<Map<string, string>> {
  const names = new Map<string, string>()
  let last: string | null = null
  yield* forEachOf(facts, ({ pairing }) => {
    const { question = null, questionIds = null } = pairing ?? {}
    if (question === null || question === last) return
    last = question
    const ids = isNameByIds(question) ? question : questionIds
    if (ids !== null && (question !== ids || !names.has(ids))) names.set(ids, question)
  })
  return names
}

/**
 * Rollouts without words name their question by its ids: it is that of the rollouts, of either run, that have those ids, with their words or without.
 * Where the other run has none, it is called by the words that its ids spell.
 */
function byQuestion(
  facts: Rows,
  names: ReadonlyMap<string, string>,
  otherNames: ReadonlyMap<string, string>,
): Steps<Map<string, TrajectoryFacts[]>> {
  return gatheredBy(facts, ({ pairing }) => {
    const question = pairing?.question ?? null
    if (question === null) return null
    const own = names.get(question) ?? question
    return own === question ? (otherNames.get(question) ?? pairing?.idWords ?? question) : own
  })
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
