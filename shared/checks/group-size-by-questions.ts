import { forEachOf, type Steps } from '../model/steps.ts'
import type { TrajectoryFacts } from './facts.ts'

interface Run {
  readonly row: TrajectoryFacts
  readonly question: string
  length: number
  /** Rows of another file or step follow, or none: what is missing of the last group is cut off. */
  isLast: boolean
}

/**
 * How many consecutive rollouts answer one question, where groups follow from the order of the rows and nothing says how many make one: a trainer
 * repeats each prompt as often as a group is large. Null where that does not tell: a question that is not known, the same one throughout, runs of
 * different lengths, or rows by call, of which a rollout has several. The last run of a file's step may be shorter.
 */
export function* groupSizeByQuestions(facts: readonly TrajectoryFacts[]): Steps<number | null> {
  const runs: Run[] = []
  let isTold = true
  yield* forEachOf(facts, (row) => {
    const question = row.pairing?.question ?? null
    if (question === null || row.rootHash !== undefined || !isTold) {
      isTold = false
      return
    }
    const last = runs.at(-1)
    const goesOn = last !== undefined && last.row.place.source === row.place.source && last.row.step === row.step
    if (last !== undefined && goesOn && last.question === question) last.length++
    else {
      if (last !== undefined) last.isLast = !goesOn
      runs.push({ row, question, length: 1, isLast: true })
    }
  })
  const [first] = runs
  if (!isTold || first === undefined || runs.every(({ question }) => question === first.question)) return null
  const size = runs.reduce((most, { length }) => Math.max(most, length), 0)
  const isSize = ({ length, isLast }: Run) => length === size || isLast
  return size > 1 && runs.every(isSize) && runs.filter(({ length }) => length === size).length > 1 ? size : null
}
