import { forEachOf, type Steps } from '../model/steps.ts'
import type { Span } from '../model/tokens.ts'
import type { DumpView } from './check.ts'
import { FactColumns } from './fact-columns.ts'
import type { TrajectoryFacts } from './facts.ts'
import { median } from './groups/statistics.ts'

/** Rewarded rollouts of a dump by whose words hold the expected answer. */
export interface AnswerRows {
  readonly model: readonly TrajectoryFacts[]
  /** Only replies hold it; the model may have words of it. */
  readonly environment: readonly TrajectoryFacts[]
  readonly nowhere: readonly TrajectoryFacts[]
}

/** The tokens of a reply that hold the answer. */
export function answerSpan({ answerAt }: TrajectoryFacts): Span | null {
  return answerAt === undefined ? null : { start: answerAt[0], end: answerAt[1] }
}

/** Those with a finite reward that train something. */
export function* answerRows({ facts }: Pick<DumpView, 'facts'>): Steps<AnswerRows> {
  const rows = {
    model: [] as TrajectoryFacts[],
    environment: [] as TrajectoryFacts[],
    nowhere: [] as TrajectoryFacts[],
  }
  yield* forEachOf(new FactColumns(facts).having('answerPlace'), (row) => {
    const { answerPlace, reward, trained } = row
    if (!answerPlace || reward === null || !Number.isFinite(reward) || (trained ?? 0) === 0) return
    rows[answerPlace === 'in-part' ? 'environment' : answerPlace].push(row)
  })
  return rows
}

/**
 * The reward from which on rollouts get as much for a reply's words as where the model gives the answer; null where the reward
 * does not follow the answer's words, or where rollouts are not paid for those of a reply.
 */
export function paidForReplies(
  rows: AnswerRows,
  { settings: { thresholds } }: Pick<DumpView, 'settings'>,
): number | null {
  const { 'answer-contrast-rollouts': enough, 'answer-follows-share': share } = thresholds
  const full = median(rows.model.map(({ reward }) => reward as number))
  if (full === null) return null
  const matches =
    shareAtLeast(rows.model, full) >= share &&
    rows.nowhere.length >= enough &&
    shareAtLeast(rows.nowhere, full) <= 1 - share &&
    rows.model.length >= enough
  const rewarded = rows.environment.filter(({ reward }) => (reward as number) >= full).length
  // A judge that reads meaning rewards paraphrases: then only some of these rollouts have the reward.
  return matches && rewarded >= enough && rewarded >= share * rows.environment.length ? full : null
}

export function shareAtLeast(rows: readonly TrajectoryFacts[], value: number): number {
  return rows.length === 0 ? 0 : rows.filter(({ reward }) => (reward as number) >= value).length / rows.length
}
