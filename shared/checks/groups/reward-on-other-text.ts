import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Stream } from '../../model/streams.ts'
import type { Check, DumpReporter, DumpView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import {
  type AnswerRows,
  answerRows,
  answerSpan,
  highFrom,
  paidForReplies,
  shareAtLeast,
  whyOneReward,
} from '../grouping/answer-contrast.ts'
import {
  type BothSides,
  meanReward,
  pairingQuestions,
  type QuestionPair,
  type Rows,
  rewardedByAnswer,
} from '../grouping/run-pairs.ts'
import { shown } from './statistics.ts'

/**
 * A11. The reward was given for another text than what the model answered: it comes and goes with the replies of tools, whatever the
 * model says, or a second run scores the same words otherwise. Where the model's own answers show what the reward looks for, M18 tells.
 */
export const rewardOnOtherText: Check = {
  code: 'A11',
  name: 'reward-on-other-text',
  title: 'Reward is given for another text than the model’s answer',
  hypotheses: ['H05', 'H08'],
  severity: 'error',
  unit: 'trajectory',
  needs: ['rewards'],
  beside: 'expected answers in the dump, or a second run (--against PATH…)',
  looksAt: 'rewarded rollouts whose answer is expected, or stands in a second run as well',
  why: 'What is rewarded is not what the model wrote: it learns to bring about the other text, or nothing.',
  fix: 'Print the text that the reward function gets beside the sampled one; score the last assistant turn in training and in evaluation.',
  cite: 'verl#6392, verl#6376',
  dump: lookAtRewards,
  unproved: (_tally, view) => untoldRewards(view),
}

/** Without these nothing tells whose words hold the answer. */
const TO_LOOK_UP = [
  ['ids', 'token ids'],
  ['mask', 'loss mask'],
  ['tokenizer', 'tokenizer'],
  ['answer', 'answer'],
] as const satisfies readonly (readonly [Stream, string])[]

function* lookAtRewards(view: DumpView, report: DumpReporter): Steps<void> {
  const { against = null, streams } = view
  const lacking = TO_LOOK_UP.filter(([stream]) => !streams.has(stream)).map(([, what]) => what)
  if (lacking.length > 0 && against === null) {
    report.abstain(
      'not-checkable',
      `the dump does not carry ${lacking.join(', ')}, and no second run is given (--against)`,
    )
  }
  const reported = yield* lookAtReplies(view, report)
  if (against !== null) yield* lookAtSecondRun(view, against, reported, report)
}

/** Rollouts in which only a reply holds the answer, and the model has no word of it. */
function* lookAtReplies(view: DumpView, report: DumpReporter): Steps<ReadonlySet<TrajectoryFacts>> {
  const rows = yield* within(0, 0.5, answerRows(view))
  const silent = rows.environment.filter(({ answerPlace }) => answerPlace === 'environment')
  const paid = yield* within(0.5, 1, paidForReplies(rows, view))
  const high = paid === null ? followsReplies(rows, silent, view) : null
  const reported = new Set<TrajectoryFacts>()
  for (const facts of silent) {
    const affected = high !== null && (facts.reward as number) >= high
    report.unit(affected)
    report.place(affected)
    reported.add(facts)
    if (!affected) continue
    report.fault({
      member: facts,
      tokens: answerSpan(facts),
      affectedTokens: facts.trained ?? 0,
      affectedWeight: facts.weight ?? 0,
      message: `The reward is ${shown(facts.reward as number)}, and only a reply of the environment holds the answer: the model has no word of it`,
      evidence: {
        reward: facts.reward,
        high_from: high,
        answer_in_a_reply_alone: countedAt(silent, high),
        answer_nowhere: countedAt(rows.nowhere, high),
        answer_of_the_model: countedAt(rows.model, high),
      },
    })
  }
  return reported
}

/**
 * Why rollouts of which none is a fault are not sound: all of the dump have one reward, or some have it without a word of the answer, and either they are too
 * few to tell what for, or others like them go without. A judge that reads meaning pays for other words, and so does a reward that is given for another text.
 */
function* untoldRewards(view: DumpView): Steps<string | null> {
  const rows = yield* answerRows(view)
  if ((yield* paidForReplies(rows, view)) !== null) return null
  const high = highFrom([...rows.model, ...rows.environment, ...rows.nowhere], view)
  if (high === null) return whyOneReward(rows, view)
  const silent = rows.environment.filter(({ answerPlace }) => answerPlace === 'environment')
  const { rewarded } = countedAt(silent, high)
  if (rewarded === 0) return null
  const have = rewarded === 1 ? 'has' : 'have'
  return `${count(rewarded)} of ${counted(silent.length, 'rollout')} of which a reply of the environment alone holds the expected answer ${have} a high reward: nothing tells whether it was given for that reply, or for other words that are right as well`
}

/**
 * The reward that is high in this dump, where it is given for the answer in a reply: nearly all who have it there get it, nearly none
 * who have it nowhere do, and most have no word of it themselves. Null elsewhere.
 */
function followsReplies(rows: AnswerRows, silent: Rows, view: DumpView): number | null {
  const { 'answer-contrast-rollouts': enough, 'answer-follows-share': share } = view.settings.thresholds
  const { model, environment, nowhere } = rows
  if (silent.length < enough || nowhere.length < enough) return null
  // A judge that reads meaning pays for other words, too; where most say the answer themselves, the others may have said it so.
  if (silent.length * 2 <= model.length + environment.length) return null
  const high = highFrom([...model, ...environment, ...nowhere], view)
  if (high === null) return null
  return shareAtLeast(silent, high) >= share && shareAtLeast(nowhere, high) <= 1 - share ? high : null
}

/** The same words to the same question, rewarded here and not there, or the reverse. */
function* lookAtSecondRun(
  view: DumpView,
  against: DumpView,
  counted: ReadonlySet<TrajectoryFacts>,
  report: DumpReporter,
): Steps<void> {
  const ofTheirs = highFrom(against.facts, view)
  yield 0.1
  const here = highFrom(view.facts, view) ?? ofTheirs
  yield 0.2
  const there = ofTheirs ?? here
  if (here === null || there === null) return
  const like: LikeAnswers[] = []
  const { pairs } = yield* within(0.2, 0.6, pairingQuestions(view.facts, against.facts))
  const addLike = (pair: QuestionPair) => {
    // The same words may be right to one prompt and not to the other, as where only one asks for a box around the answer.
    if (pair.isReworded) return
    for (const each of likeAnswers(pair)) {
      like.push({ ...each, own: shareAtLeast(each.rows, here), other: shareAtLeast(each.others, there) })
    }
  }
  yield* within(0.6, 0.8, forEachOf(pairs, addLike))
  const otherwise = new Set(like.filter(({ own, other }) => Math.abs(own - other) === 1))
  const wrong = scoredOtherwise(like, [...otherwise], view)
  const look = (each: LikeAnswers) => {
    const affected = wrong && otherwise.has(each)
    for (const facts of each.rows) {
      if (counted.has(facts)) continue
      report.unit(affected)
      report.place(affected)
      if (!affected) continue
      report.fault({
        member: facts,
        affectedTokens: facts.trained ?? 0,
        affectedWeight: facts.weight ?? 0,
        message: `The reward is ${shown(facts.reward as number)}, and ${shown(meanReward(each.others))} in the second run for the same words`,
        evidence: {
          reward: facts.reward,
          mean_reward_in_second_run: meanReward(each.others),
          high_from: here,
          high_from_in_second_run: there,
          answers_in_the_same_words: like.length,
          scored_otherwise: otherwise.size,
        },
      })
    }
  }
  yield* within(0.8, 1, forEachOf(like, look))
}

/** Rollouts of both runs that answer one question in the same words. */
function likeAnswers({ rows, others }: BothSides): BothSides[] {
  const theirs = rewardedByAnswer(others)
  return [...rewardedByAnswer(rows)].flatMap(([answer, own]) => {
    const same = theirs.get(answer)
    return same === undefined ? [] : [{ rows: own, others: same }]
  })
}

interface LikeAnswers extends BothSides {
  /** Shares of the rollouts whose reward is high. */
  readonly own: number
  readonly other: number
}

/**
 * Enough like answers are scored otherwise, in one direction, and a run by itself scores the same words alike: where it does not, the
 * words are not what is rewarded ("Done." of a task whose outcome lies elsewhere).
 */
function scoredOtherwise(
  like: readonly LikeAnswers[],
  otherwise: readonly LikeAnswers[],
  { settings: { thresholds } }: DumpView,
): boolean {
  const { 'h08-like-answers': enough, 'scored-otherwise-share': least, 'answer-follows-share': share } = thresholds
  if (otherwise.length < enough || otherwise.length < least * like.length) return false
  const higher = otherwise.filter(({ own }) => own === 1).length
  if (Math.max(higher, otherwise.length - higher) < share * otherwise.length) return false
  const repeated = like.flatMap(({ rows, others, own, other }) => [
    ...(rows.length > 1 ? [own] : []),
    ...(others.length > 1 ? [other] : []),
  ])
  return repeated.filter((high) => high > 0 && high < 1).length <= (1 - share) * repeated.length
}

function countedAt(rows: Rows, high: number | null): { rollouts: number; rewarded: number } {
  return {
    rollouts: rows.length,
    rewarded: high === null ? 0 : rows.filter(({ reward }) => (reward as number) >= high).length,
  }
}
