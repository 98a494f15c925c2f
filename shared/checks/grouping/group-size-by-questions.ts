import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

interface Run {
  readonly row: TrajectoryFacts
  /** Of its first row, among all. */
  readonly at: number
  readonly question: string
  length: number
  /** Rows of another file or step follow, or none: what is missing of the last group is cut off. */
  isLast: boolean
}

/** How often the rows of each file ask the same behind each other. */
export interface RepeatedQuestions {
  /** Of the files that are in neither of the two below; null where a row of one does not tell: its question is not known, or it is one call of several. */
  readonly runs: readonly Run[] | null
  /** Sources that ask nothing twice in a row, as validation between steps does, where others do. */
  readonly askingOnce: ReadonlySet<number>
  /** Sources of which no question is known. */
  readonly unknown: ReadonlySet<number>
}

interface OfSource {
  readonly source: number
  readonly runs: Run[]
  isAsked: boolean
  isTold: boolean
}

/**
 * Where all ask the same by the first words of a user, as behind examples or where the question stands in the system text, their whole prompts are the
 * questions. Where one holds examples, it goes on behind them, whatever length is stored.
 */
export function* repeatedQuestions(facts: readonly TrajectoryFacts[]): Steps<RepeatedQuestions> {
  const [first] = facts
  const firstWords = first?.pairing?.question ?? null
  let isOneForAll = firstWords !== null
  const wordsOf = ({ pairing }: TrajectoryFacts) => {
    const words = pairing?.question ?? null
    isOneForAll &&= words === firstWords
    return words
  }
  const isByCall = ({ rootHash }: TrajectoryFacts) => rootHash !== undefined
  const byWords = yield* within(0, 0.5, repeatedBy(facts, wordsOf, isByCall))
  if (first === undefined || !isOneForAll) return byWords
  // Examples are the same in all prompts; what was said before a later call is not.
  const isOther = ({ rootHash }: TrajectoryFacts) => rootHash !== undefined && rootHash !== first.rootHash
  return yield* within(
    0.5,
    1,
    repeatedBy(facts, ({ askedHash, promptHash }) => askedHash ?? promptHash, isOther),
  )
}

function* repeatedBy(
  facts: readonly TrajectoryFacts[],
  questionOf: (row: TrajectoryFacts) => string | null,
  isByCall: (row: TrajectoryFacts) => boolean,
): Steps<RepeatedQuestions> {
  const all: OfSource[] = []
  yield* forEachOf(facts, (row, at) => {
    const { source } = row.place
    if (all.at(-1)?.source !== source) all.push({ source, runs: [], isAsked: false, isTold: true })
    const own = all.at(-1) as OfSource
    const question = questionOf(row)
    if (question !== null) own.isAsked = true
    if (question === null || isByCall(row)) own.isTold = false
    else if (own.isTold) addTo(own.runs, row, at, question)
  })
  const asked = all.filter(({ isAsked }) => isAsked)
  const repeating = asked.filter((each) => !isAskingOnce(each))
  const once = repeating.length === 0 ? [] : asked.filter(isAskingOnce)
  return {
    runs: repeating.every(({ isTold }) => isTold) ? repeating.flatMap(({ runs }) => runs) : null,
    askingOnce: new Set(once.map(({ source }) => source)),
    unknown: new Set(all.filter(({ isAsked }) => !isAsked).map(({ source }) => source)),
  }
}

function addTo(runs: Run[], row: TrajectoryFacts, at: number, question: string): void {
  const last = runs.at(-1)
  const goesOn = last !== undefined && last.row.step === row.step
  if (last !== undefined && goesOn && last.question === question) last.length++
  else {
    if (last !== undefined) last.isLast = !goesOn
    runs.push({ row, at, question, length: 1, isLast: true })
  }
}

/** A single row may be what was left of a group. */
function isAskingOnce({ runs, isTold }: OfSource): boolean {
  return isTold && runs.length > 1 && runs.every(({ length }) => length === 1)
}

/**
 * How many consecutive rollouts answer one question, where groups follow from the order of the rows and nothing says how many make one: a trainer
 * repeats each prompt as often as a group is large. Null where that does not tell: a question that is not known, the same one throughout, runs of
 * different lengths, or rows by call, of which a rollout has several. The last run of a file's step may be shorter. A question that a batch drew twice in a row
 * makes a run of twice the length, as advantages show that were made of each half by itself.
 */
export function groupSizeByQuestions({ runs }: RepeatedQuestions, facts: readonly TrajectoryFacts[]): number | null {
  if (runs === null || isOneQuestion(runs)) return null
  const longest = runs.reduce((most, { length }) => Math.max(most, length), 0)
  const areWhole = (size: number) =>
    size > 1 &&
    runs.every(({ length, isLast }) => length % size === 0 || (isLast && length < size)) &&
    runs.filter(({ length }) => length === size).length > 1
  if (runs.every(({ length, isLast }) => length === longest || isLast)) return areWhole(longest) ? longest : null
  const size = commonestLength(runs)
  if (size === null || !areWhole(size)) return null
  const isOfTwo = (run: Run) => run.length > size && areNormalisedApart(facts.slice(run.at, run.at + run.length), size)
  return runs.some(isOfTwo) ? size : null
}

function isOneQuestion(runs: readonly Run[]): boolean {
  return runs.every(({ question }) => question === runs[0]?.question)
}

/** Of more than half of the runs that nothing cuts off. */
function commonestLength(runs: readonly Run[]): number | null {
  const whole = runs.filter(({ isLast }) => !isLast)
  const [length] = whole.map((run) => run.length).sort((a, b) => a - b)
  return whole.filter((run) => run.length === length).length * 2 > whole.length ? (length ?? null) : null
}

/** What rounding leaves of advantages that are the same, as a share of the larger one. */
const ROUNDING = 1e-3

/**
 * Whether these rows are groups of `size` that were normalised each by itself: within each, rollouts of one reward have one advantage, and between them they have
 * not. Whatever the formula, a single group gives one reward one advantage.
 */
function areNormalisedApart(rows: readonly TrajectoryFacts[], size: number): boolean {
  const all = new Map<number, number>()
  let isApart = false
  for (let start = 0; start < rows.length; start += size) {
    const own = new Map<number, number>()
    for (const { reward, advantage } of rows.slice(start, start + size)) {
      if (reward === null || advantage === null) return false
      const known = own.get(reward) ?? advantage
      if (!isSame(known, advantage)) return false
      own.set(reward, known)
    }
    for (const [reward, advantage] of own) {
      const other = all.get(reward)
      if (other === undefined) all.set(reward, advantage)
      else if (!isSame(other, advantage)) isApart = true
    }
  }
  return isApart
}

function isSame(a: number, b: number): boolean {
  return Math.abs(a - b) <= ROUNDING * Math.max(Math.abs(a), Math.abs(b))
}
