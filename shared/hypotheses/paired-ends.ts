import type { BothSides, Rows } from '../checks/grouping/run-pairs.ts'
import { isCutReason } from '../checks/limits/limits.ts'
import { endOf, type ToldEnds } from '../checks/truncation/told-ends.ts'

/** How many rollouts of a question tell how they ended, and how many of these were cut, in this run and in the other. */
export interface QuestionEnds {
  readonly here: number
  readonly there: number
  readonly cutHere: number
  readonly cutThere: number
}

/**
 * What is asked of a question: that chance parts its ends as far as they are apart this seldom. Few rollouts never come near the first: 4 of 4 beside
 * none of 4 come so in 1 of 35, 8 of 8 beside none of one in 1 of 9. Many questions of that kind do all the same what chance does not.
 */
const LEVELS = [0.001, 0.05, 0.5]

/**
 * Share of the questions of two runs whose rollouts are cut in the one and not in the other, as far as chance does not explain it; null where no
 * question has rollouts on both sides that tell.
 *
 * Which of the rollouts of a question are cut is chance where both runs put and end it alike, and any of them could have stood in either run: that
 * gives the probability of every table of its ends (Fisher's exact test), and of how many questions come as far apart. What more there are is told
 * where so many come by chance no oftener than `chance`. One rollout a side has no such table. Of these, the ends of one run are laid beside those
 * of the other in any order.
 *
 * @param chance at each level
 */
export function endsApart(pairs: readonly QuestionEnds[], chance: number): number | null {
  const questions = pairs.filter(({ here, there }) => here > 0 && there > 0)
  if (questions.length === 0) return null
  const alone = questions.filter(({ here, there }) => here + there === 2)
  const several = questions.filter(({ here, there }) => here + there > 2)
  const tables = new Map<string, Table>()
  const asked = several.map((question) => ({ question, table: tableOf(question, tables) }))
  const found = LEVELS.map((level) => apartAt(asked, level, chance))
  return Math.max(apartAlone(alone, chance), ...found) / questions.length
}

/** By what the ends of two runs are judged. */
export interface EndsOfRuns extends Pick<ToldEnds, 'refuted'> {
  /** Whether a limit of turns cuts as one of tokens does. */
  readonly countsTurns: boolean
}

/** A rollout of several branches was cut where one of them was. */
export function endsOf({ rows, others }: BothSides, of: EndsOfRuns): QuestionEnds {
  const [own, other] = [rolloutsOf(rows, of), rolloutsOf(others, of)]
  return { here: own.told, there: other.told, cutHere: own.cut, cutThere: other.cut }
}

function rolloutsOf(rows: Rows, of: EndsOfRuns): { readonly told: number; readonly cut: number } {
  const cutByRollout = new Map<unknown, boolean>()
  for (const row of rows) {
    if (!tellsEnd(row)) continue
    const rollout = row.branchOf ?? row
    cutByRollout.set(rollout, wasCut(row, of) || cutByRollout.get(rollout) === true)
  }
  return { told: cutByRollout.size, cut: [...cutByRollout.values()].filter(Boolean).length }
}

export function tellsEnd({ endReason, isTruncated }: Rows[number]): boolean {
  return isTruncated !== null || (endReason !== 'unknown' && endReason !== 'prompt-only')
}

export function wasCut(row: Rows[number], { countsTurns, refuted }: EndsOfRuns): boolean {
  const isCut = isCutReason(endOf(row, { refuted })) || row.isTruncated === true
  return isCut || (countsTurns && row.unanswered === 'turn-limit')
}

/** Whether both runs tell which rollouts a limit of turns ended: neither leaves it open of one that ends behind a reply or a call. */
export function tellTurnLimits(pairs: readonly BothSides[], { refuted }: Pick<ToldEnds, 'refuted'>): boolean {
  const leavesOpen = (row: Rows[number]) => row.unanswered === 'untold' && !wasCut(row, { countsTurns: false, refuted })
  return !pairs.some(({ rows, others }) => rows.some(leavesOpen) || others.some(leavesOpen))
}

/** By how many of this run are among the rollouts of a question that were cut: the probability, and that of what comes no oftener. */
interface Table {
  readonly least: number
  readonly chances: readonly number[]
  readonly atMost: readonly number[]
}

/** Two probabilities that are the same come out a little apart. */
const SAME = 1 + 1e-9

function tableOf({ here, there, cutHere, cutThere }: QuestionEnds, known: Map<string, Table>): Table {
  const cut = cutHere + cutThere
  const key = `${here} ${there} ${cut}`
  const before = known.get(key)
  if (before !== undefined) return before
  const least = Math.max(0, cut - there)
  const logarithms = [0]
  for (let own = least; own < Math.min(here, cut); own++) {
    const ratio = ((here - own) * (cut - own)) / ((own + 1) * (there - cut + own + 1))
    logarithms.push((logarithms.at(-1) as number) + Math.log(ratio))
  }
  const most = logarithms.reduce((a, b) => Math.max(a, b))
  const weights = logarithms.map((logarithm) => Math.exp(logarithm - most))
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  const chances = weights.map((weight) => weight / all)
  const atMost = chances.map((chance) =>
    chances.reduce((sum, other) => (other <= chance * SAME ? sum + other : sum), 0),
  )
  const table = { least, chances, atMost }
  known.set(key, table)
  return table
}

/** Questions whose ends are as far apart as `level` asks, less those that chance gives; 0 where it gives as many. */
function apartAt(
  asked: readonly { readonly question: QuestionEnds; readonly table: Table }[],
  level: number,
  chance: number,
): number {
  let [able, found, expected] = [0, 0, 0]
  for (const { question, table } of asked) {
    const own = table.chances.reduce((sum, each, i) => ((table.atMost[i] as number) <= level ? sum + each : sum), 0)
    if (own === 0) continue
    able++
    expected += own
    if ((table.atMost[question.cutHere - table.least] as number) <= level) found++
  }
  return able > 0 && chanceOfSoMany(found, able, expected) <= chance ? beyond(found, able, expected) : 0
}

/** Hoeffding's bound for a sum of `of` events that are not equally likely, of which `expected` come about. */
function chanceOfSoMany(count: number, of: number, expected: number): number {
  if (count <= expected) return 1
  const [share, mean] = [count / of, expected / of]
  const rest = share === 1 ? 0 : (1 - share) * Math.log((1 - share) / (1 - mean))
  return Math.exp(-of * (share * Math.log(share / mean) + rest))
}

/** How many of `of` are apart for another reason, where chance parts its share of the others. */
function beyond(found: number, of: number, expected: number): number {
  return found === of ? of : (of * (found - expected)) / (of - expected)
}

function apartAlone(questions: readonly QuestionEnds[], chance: number): number {
  const of = questions.length
  if (of === 0) return 0
  let [cutHere, cutThere, both] = [0, 0, 0]
  for (const each of questions) {
    cutHere += each.cutHere
    cutThere += each.cutThere
    both += each.cutHere * each.cutThere
  }
  const found = cutHere + cutThere - 2 * both
  const expected = cutHere + cutThere - (2 * cutHere * cutThere) / of
  if (found <= expected) return 0
  // That so few are cut in both, whichever questions they were in each.
  const { least, chances } = tableOf(
    { here: cutHere, there: of - cutHere, cutHere: both, cutThere: cutThere - both },
    new Map(),
  )
  const soFew = chances.slice(0, both - least + 1).reduce((sum, each) => sum + each, 0)
  return soFew <= chance ? beyond(found, of, expected) : 0
}
