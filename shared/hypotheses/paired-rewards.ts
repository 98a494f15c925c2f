import { meanReward, meanRewardsByAnswer, type QuestionPair, type Rows } from '../checks/grouping/run-pairs.ts'
import { forEachOf, type Steps } from '../model/steps.ts'

/** Answers in the same words to the same question, and the mean |difference| of their rewards. */
export interface LikeTexts {
  readonly count: number
  readonly rewardGap: number
}

export function* likeTextsOf(pairs: readonly QuestionPair[]): Steps<LikeTexts | null> {
  let [count, sum] = [0, 0]
  yield* forEachOf(pairs, ({ rows, others, isReworded }) => {
    // What is right to one prompt may be wrong to another.
    if (isReworded) return
    const rewards = meanRewardsByAnswer(others)
    for (const [answer, own] of meanRewardsByAnswer(rows)) {
      const other = rewards.get(answer)
      if (other === undefined) continue
      count++
      sum += Math.abs(own - other)
    }
  })
  return count === 0 ? null : { count, rewardGap: sum / count }
}

/** Mean rewards of two runs over the questions that both reward, each question counted once. */
export interface MeanRewards {
  readonly here: number
  readonly there: number
  /** Of the difference of the two. */
  readonly standardError: number
}

/**
 * Null where no question has a reward in both runs. A question is hard in both, so that its own difference is what tells: the means of all rollouts
 * would scatter with the questions, of which one run may have more rollouts each.
 */
export function meanRewardsOf(pairs: readonly QuestionPair[]): MeanRewards | null {
  const asked = pairs.flatMap(({ rows, others }) => {
    const [own, other] = [rewarded(rows), rewarded(others)]
    return own.length === 0 || other.length === 0 ? [] : [{ own, other }]
  })
  const [first] = asked
  if (first === undefined) return null
  const [own, other] = [asked.map((each) => meanReward(each.own)), asked.map((each) => meanReward(each.other))]
  const means = { here: mean(own), there: mean(other) }
  // How one question scatters is told by its rollouts alone.
  if (asked.length === 1)
    return { ...means, standardError: Math.sqrt(errorOf(rewardsOf(first.own)) + errorOf(rewardsOf(first.other))) }
  return { ...means, standardError: Math.sqrt(errorOf(own.map((reward, i) => reward - (other[i] as number)))) }
}

function rewarded(rows: Rows): Rows {
  return rows.filter(({ reward }) => reward !== null && Number.isFinite(reward))
}

function rewardsOf(rows: Rows): number[] {
  return rows.map(({ reward }) => reward as number)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The squared standard error of a mean; 0 of a single value, which scatters nowhere. */
function errorOf(values: readonly number[]): number {
  if (values.length < 2) return 0
  const middle = mean(values)
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1) / values.length
}
