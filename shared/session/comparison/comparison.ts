import type { DumpView } from '../../checks/check.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { firstQuestion } from '../../checks/texts/pairing.ts'
import type { SecondRun } from '../../hypotheses/hypothesis.ts'
import { sideWithoutTools } from '../../hypotheses/pairs.ts'
import { clipped } from '../../model/clipped.ts'
import type { Report } from '../../model/report.ts'
import { atOnce, type Steps, within } from '../../model/steps.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import { indexOfPlace } from '../concluding/fault-rows.ts'
import type { LoadedTrajectory } from '../detail.ts'
import type { BoundaryRow, Row } from '../protocol.ts'
import type { Alignment, PairDetail, RolloutRef, RunComparison, RunSide } from '../requests/compare.ts'
import { stepsOf } from '../run-steps.ts'
import { alignRollouts, type Readable } from './alignment.ts'
import { concludeComparison } from './conclusion.ts'
import { comparedSeries, comparedSpreads } from './curves.ts'
import { comparedMeasures } from './measures.ts'
import type { ComparedSide } from './pair.ts'
import { PairBook } from './pairs.ts'
import { promptDifferences } from './prompts.ts'
import { modelOf, TOGETHER } from './reports.ts'

/** What two runs are compared from. A session is one. */
export interface ComparedRunOrigin {
  readonly facts: readonly TrajectoryFacts[]
  /** Of what was judged last: a person may have stopped the judging of the rest. */
  concluded(): { readonly report: Report; readonly run: SecondRun }
  boundaries(): BoundaryRow[]
  rows(indices: readonly number[]): Row[]
  load(index: number): Promise<LoadedTrajectory>
  tokenizerOf(loaded: LoadedTrajectory): Tokenizer | null
}

const QUESTION_CHARACTERS = 4000
/** Rollouts of one question that a screen lists, of either run. */
const MOST_MEMBERS = 256

/** Asked for again by every screen and export of it: two runs of a million rollouts take seconds. */
const comparisons = new WeakMap<DumpView, { readonly beside: DumpView; readonly comparison: RunComparison }>()

export function compareRuns(here: ComparedRunOrigin, there: ComparedRunOrigin): RunComparison {
  return atOnce(makingComparison(here, there))
}

/** The same in steps. */
export function* makingComparison(here: ComparedRunOrigin, there: ComparedRunOrigin): Steps<RunComparison> {
  const [a, b] = [sideOf(here), sideOf(there)]
  const known = comparisons.get(a.run.dump)
  if (known !== undefined && known.beside === b.run.dump) return known.comparison
  const { totals } = yield* within(0, 0.4, gatheringPairs(here, there))
  const measures = yield* within(0.4, 0.8, comparedMeasures(a, b))
  const spreads = comparedSpreads(here.facts, there.facts)
  const together = a.report.hypotheses.filter(({ id }) => TOGETHER.includes(id))
  yield 0.9
  const comparison: RunComparison = {
    here: describe(a),
    there: describe(b),
    conclusion: concludeComparison({ here: a, there: b }, measures, together, totals),
    measures,
    spreads,
    series: comparedSeries(a, b),
    steps: stepsOf(here.facts),
    together,
    pairs: totals,
  }
  comparisons.set(a.run.dump, { beside: b.run.dump, comparison })
  return comparison
}

function sideOf(origin: ComparedRunOrigin): ComparedSide {
  const { report, run } = origin.concluded()
  return { report, run, boundaries: origin.boundaries() }
}

function describe({ report, run }: ComparedSide): RunSide {
  const { totals, sources, tokenizer } = report
  return {
    names: sources.map(({ name }) => name),
    rollouts: totals.trajectories,
    groups: totals.groups,
    tokens: totals.tokens.total,
    tokenizer: tokenizer.id,
    model: modelOf(run),
    streams: [...run.streams],
  }
}

const books = new WeakMap<DumpView, { readonly beside: DumpView; readonly book: PairBook }>()

/** The questions of both runs, gone through once. */
export function pairsOf(here: ComparedRunOrigin, there: ComparedRunOrigin): PairBook {
  return atOnce(gatheringPairs(here, there))
}

/** The same in steps. */
function* gatheringPairs(here: ComparedRunOrigin, there: ComparedRunOrigin): Steps<PairBook> {
  const [{ run }, { run: second }] = [here.concluded(), there.concluded()]
  const known = books.get(run.dump)
  if (known !== undefined && known.beside === second.dump) return known.book
  const book = yield* PairBook.gathering(run, second)
  books.set(run.dump, { beside: second.dump, book })
  return book
}

export async function pairDetail(
  here: ComparedRunOrigin,
  there: ComparedRunOrigin,
  position: number,
): Promise<PairDetail> {
  const book = pairsOf(here, there)
  const { rows, others } = book.at(position)
  const [own, other] = [indicesOf(here, rows), indicesOf(there, others)]
  const [left, right] = [
    await readable(here, { run: 'open', index: own[0] as number }),
    await readable(there, { run: 'second', index: other[0] as number }),
  ]
  const question = firstQuestion(left.loaded.trajectory.messages)?.content ?? null
  return {
    row: book.row(position),
    question: question === null ? null : clipped(question, QUESTION_CHARACTERS),
    here: here.rows(own.slice(0, MOST_MEMBERS)),
    there: there.rows(other.slice(0, MOST_MEMBERS)),
    prompt: promptDifferences(left, right, sideWithoutTools(rows, others)),
  }
}

function indicesOf(origin: ComparedRunOrigin, rows: readonly TrajectoryFacts[]): number[] {
  return rows.map(({ place }) => indexOfPlace(origin.facts, place))
}

/** Two rollouts, of either run, token by token. */
export async function alignment(
  runOf: (run: RolloutRef['run']) => ComparedRunOrigin,
  left: RolloutRef,
  right: RolloutRef,
): Promise<Alignment> {
  return alignRollouts(await readable(runOf(left.run), left), await readable(runOf(right.run), right))
}

async function readable(origin: ComparedRunOrigin, of: RolloutRef): Promise<Readable> {
  const loaded = await origin.load(of.index)
  return { of, loaded, tokenizer: origin.tokenizerOf(loaded) }
}
