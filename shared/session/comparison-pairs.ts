import { isCut } from '../checks/limits.ts'
import { meanReward, pairedQuestions, type QuestionPair, type Rows } from '../checks/run-pairs.ts'
import type { SecondRun } from '../hypotheses/hypothesis.ts'
import { countOf, differencesOf, type PromptDifferences } from '../hypotheses/pairs.ts'
import type { PairQuery, PairRow, PairSide, PairTotals } from './requests/compare.ts'

/** A question that both runs have, with what is known of it before anything is read again. */
export interface KnownPair extends PromptDifferences {
  readonly rows: Rows
  readonly others: Rows
  readonly here: PairSide
  readonly there: PairSide
}

/** All questions that two runs share, in the order in which the open run has them. */
export class PairBook {
  readonly known: readonly KnownPair[]
  readonly totals: PairTotals

  constructor(run: SecondRun, second: SecondRun) {
    const sameTokenizer = run.tokenizer !== null && run.tokenizer === second.tokenizer
    const pairs = pairedQuestions(run.dump.facts, second.dump.facts)
    this.known = pairs.map((pair) => ({ ...pair, ...sidesOf(pair), ...differencesOf(pair, sameTokenizer) }))
    const questions = (facts: Rows) => new Set(facts.flatMap(({ pairing }) => pairing?.question ?? [])).size
    this.totals = {
      pairs: pairs.length,
      onlyHere: questions(run.dump.facts) - pairs.length,
      onlyThere: questions(second.dump.facts) - pairs.length,
      tools: countOf(this.known.map(({ tools }) => tools)),
      system: countOf(this.known.map(({ system }) => system)),
      rendering: countOf(this.known.map(({ rendering }) => rendering)),
    }
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
    const { rows, here, there, tools, system, rendering } = this.at(position)
    return { position, group: rows[0]?.group ?? null, here, there, tools, system, rendering }
  }
}

function sidesOf({ rows, others }: QuestionPair): { here: PairSide; there: PairSide } {
  return { here: sideOf(rows), there: sideOf(others) }
}

function sideOf(rows: Rows): PairSide {
  const rewarded = rows.filter(({ reward }) => reward !== null && Number.isFinite(reward))
  const counted = rows.filter(({ idsHash }) => idsHash !== null)
  const telling = rows.filter(({ endReason }) => endReason !== 'unknown' && endReason !== 'prompt-only')
  return {
    rollouts: rows.length,
    reward: rewarded.length === 0 ? null : meanReward(rewarded),
    tokens: counted.length === 0 ? null : counted.reduce((sum, row) => sum + row.realLength, 0) / counted.length,
    cut: telling.length === 0 ? null : telling.filter(isCut).length / telling.length,
  }
}

function differs(pair: KnownPair, what: NonNullable<PairQuery['differ']>[number]): boolean {
  if (what === 'reward') return (gapOf(pair, 'reward') ?? 0) !== 0
  if (what === 'end') return (gapOf(pair, 'cut') ?? 0) !== 0
  return pair[what] === true
}

/** There minus here; null where a run does not tell. */
function gapOf({ here, there }: KnownPair, of: 'reward' | 'length' | 'cut'): number | null {
  const key = of === 'length' ? 'tokens' : of
  const [a, b] = [here[key], there[key]]
  return a === null || b === null ? null : b - a
}
