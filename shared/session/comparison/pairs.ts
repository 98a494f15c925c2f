import {
  type BothSides,
  meanReward,
  meanRewardsByAnswer,
  pairingQuestions,
  type QuestionPair,
  type Rows,
} from '../../checks/grouping/run-pairs.ts'
import { isCutReason } from '../../checks/limits/limits.ts'
import { endOf, refutedIn, type ToldEnds } from '../../checks/truncation/told-ends.ts'
import type { SecondRun } from '../../hypotheses/hypothesis.ts'
import {
  areSameRecords,
  countOf,
  differencesOf,
  findingPrefills,
  type PromptDifferences,
} from '../../hypotheses/pairs.ts'
import type { Count } from '../../model/report.ts'
import { type Steps, within } from '../../model/steps.ts'
import type { PairQuery, PairRow, PairSide, PairTotals } from '../requests/compare.ts'

const PAIRS_OF_A_STEP = 1000

/** A question that both runs have, with what is known of it before anything is read again. */
export interface KnownPair extends PromptDifferences, BothSides {
  readonly here: PairSide
  readonly there: PairSide
  readonly likeAnswers: Count | null
}

/** All questions that two runs share, in the order in which the open run has them. */
export class PairBook {
  readonly totals: PairTotals

  private constructor(
    readonly known: readonly KnownPair[],
    questions: readonly [number, number],
  ) {
    this.totals = {
      pairs: known.length,
      onlyHere: questions[0] - known.length,
      onlyThere: questions[1] - known.length,
      words: known.filter(({ words }) => words).length,
      tools: countOf(known.map(({ tools }) => tools)),
      system: countOf(known.map(({ system }) => system)),
      rendering: countOf(known.map(({ rendering }) => rendering)),
      opening: countOf(known.map(({ opening }) => opening)),
      replies: countOf(known.map(({ replies }) => replies)),
      likeAnswers: sumOf(known.flatMap((pair) => pair.likeAnswers ?? [])),
      sameRecords: areSameRecords(known),
    }
  }

  static *gathering(run: SecondRun, second: SecondRun): Steps<PairBook> {
    const sameTokenizer = run.tokenizer !== null && run.tokenizer === second.tokenizer
    const [here, there] = [run.dump.facts, second.dump.facts]
    const { pairs, questions } = yield* within(0, 0.3, pairingQuestions(here, there))
    const same = run.dump.settings.thresholds['same-reward']
    const prefills = yield* within(0.3, 0.35, findingPrefills([here, there]))
    const refuted = yield* within(0.35, 0.4, refutedIn([run.dump, second.dump]))
    const known: KnownPair[] = []
    for (const pair of pairs) {
      const differences = differencesOf(pair, sameTokenizer, prefills)
      known.push({ ...pair, ...sidesOf(pair, { refuted }), ...differences, likeAnswers: likeAnswers(pair, same) })
      if (known.length % PAIRS_OF_A_STEP === 0) yield 0.4 + (0.4 * known.length) / pairs.length
    }
    return new PairBook(known, questions)
  }

  /** Positions of the pairs that a query keeps, in its order; those without a value in the sorted column come last. */
  query({ differ = [], sort = 'order', descending = false }: PairQuery): Int32Array {
    const kept = [...this.known.keys()].filter((position) => {
      const pair = this.known[position] as KnownPair
      return differ.every((what) => differs(pair, what))
    })
    if (sort === 'order') return Int32Array.from(descending ? kept.reverse() : kept)
    const values = new Map(kept.map((position) => [position, gapOf(this.known[position] as KnownPair, sort)]))
    const direction = descending ? -1 : 1
    kept.sort((a, b) => {
      const [left, right] = [values.get(a) ?? null, values.get(b) ?? null]
      if (left === null || right === null) return left === right ? a - b : left === null ? 1 : -1
      return (left - right) * direction || a - b
    })
    return Int32Array.from(kept)
  }

  /** Throws with a sentence where there is no such pair. */
  at(position: number): KnownPair {
    const pair = this.known[position]
    if (pair === undefined)
      throw new Error(`There is no pair ${position}; both runs have ${this.known.length} questions.`)
    return pair
  }

  row(position: number): PairRow {
    const { rows, here, there, words, tools, system, rendering, opening, replies, likeAnswers } = this.at(position)
    const group = rows[0]?.group ?? null
    return { position, group, here, there, words, tools, system, rendering, opening, replies, likeAnswers }
  }
}

type Refuted = Pick<ToldEnds, 'refuted'>

function sidesOf({ rows, others }: BothSides, ends: Refuted): { here: PairSide; there: PairSide } {
  return { here: sideOf(rows, ends), there: sideOf(others, ends) }
}

/** Answers in the same words, and those whose mean rewards differ by more than `same`. */
function likeAnswers({ rows, others, isReworded }: QuestionPair, same: number): Count | null {
  // What is right to one prompt may be wrong to another.
  if (isReworded) return null
  const rewards = meanRewardsByAnswer(others)
  let [checked, affected] = [0, 0]
  for (const [answer, own] of meanRewardsByAnswer(rows)) {
    const other = rewards.get(answer)
    if (other === undefined) continue
    checked++
    if (Math.abs(own - other) > same) affected++
  }
  return checked === 0 ? null : { checked, affected }
}

function sumOf(counts: readonly Count[]): Count | null {
  if (counts.length === 0) return null
  return {
    checked: counts.reduce((sum, { checked }) => sum + checked, 0),
    affected: counts.reduce((sum, { affected }) => sum + affected, 0),
  }
}

function sideOf(rows: Rows, ends: Refuted): PairSide {
  const rewarded = rows.filter(({ reward }) => reward !== null && Number.isFinite(reward))
  const counted = rows.filter(({ idsHash }) => idsHash !== null)
  const telling = rows.filter(({ endReason }) => endReason !== 'unknown' && endReason !== 'prompt-only')
  return {
    rollouts: rows.length,
    reward: rewarded.length === 0 ? null : meanReward(rewarded),
    tokens: counted.length === 0 ? null : counted.reduce((sum, row) => sum + row.realLength, 0) / counted.length,
    cut: telling.length === 0 ? null : telling.filter((row) => isCutReason(endOf(row, ends))).length / telling.length,
  }
}

function differs(pair: KnownPair, what: NonNullable<PairQuery['differ']>[number]): boolean {
  if (what === 'reward') return (gapOf(pair, 'reward') ?? 0) !== 0
  if (what === 'scored') return (pair.likeAnswers?.affected ?? 0) > 0
  if (what === 'end') return (gapOf(pair, 'cut') ?? 0) !== 0
  return pair[what] === true
}

/** There minus here; null where a run does not tell. */
function gapOf({ here, there }: KnownPair, of: 'reward' | 'length' | 'cut'): number | null {
  const key = of === 'length' ? 'tokens' : of
  const [a, b] = [here[key], there[key]]
  return a === null || b === null ? null : b - a
}
