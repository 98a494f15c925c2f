import { forEachOf, type Steps } from '../../model/steps.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

interface Run {
  readonly row: TrajectoryFacts
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

export function* repeatedQuestions(facts: readonly TrajectoryFacts[]): Steps<RepeatedQuestions> {
  const all: OfSource[] = []
  yield* forEachOf(facts, (row) => {
    const { source } = row.place
    if (all.at(-1)?.source !== source) all.push({ source, runs: [], isAsked: false, isTold: true })
    const own = all.at(-1) as OfSource
    const question = row.pairing?.question ?? null
    if (question !== null) own.isAsked = true
    if (question === null || row.rootHash !== undefined) own.isTold = false
    else if (own.isTold) addTo(own.runs, row, question)
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

function addTo(runs: Run[], row: TrajectoryFacts, question: string): void {
  const last = runs.at(-1)
  const goesOn = last !== undefined && last.row.step === row.step
  if (last !== undefined && goesOn && last.question === question) last.length++
  else {
    if (last !== undefined) last.isLast = !goesOn
    runs.push({ row, question, length: 1, isLast: true })
  }
}

/** A single row may be what was left of a group. */
function isAskingOnce({ runs, isTold }: OfSource): boolean {
  return isTold && runs.length > 1 && runs.every(({ length }) => length === 1)
}

/**
 * How many consecutive rollouts answer one question, where groups follow from the order of the rows and nothing says how many make one: a trainer
 * repeats each prompt as often as a group is large. Null where that does not tell: a question that is not known, the same one throughout, runs of
 * different lengths, or rows by call, of which a rollout has several. The last run of a file's step may be shorter.
 */
export function groupSizeByQuestions({ runs }: RepeatedQuestions): number | null {
  const first = runs?.[0]
  if (runs === null || first === undefined || runs.every(({ question }) => question === first.question)) return null
  const size = runs.reduce((most, { length }) => Math.max(most, length), 0)
  const isSize = ({ length, isLast }: Run) => length === size || isLast
  return size > 1 && runs.every(isSize) && runs.filter(({ length }) => length === size).length > 1 ? size : null
}
