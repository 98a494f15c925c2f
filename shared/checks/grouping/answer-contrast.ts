import { clipped } from '../../model/clipped.ts'
import { counted } from '../../model/number-text.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { Span } from '../../model/tokens.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { median, shown } from '../groups/statistics.ts'

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

/** What pays for the words of a reply, and from which value on. */
export interface PaidFor {
  /** A part of the reward; null for all of it. */
  readonly part: string | null
  readonly full: number
}

/**
 * What gives rollouts as much for a reply's words as where the model gives the answer: the reward, or a part of it that is named for the answer. Null where
 * neither follows the answer's words, where rollouts are not paid for those of a reply, and where a part is that rewards what was retrieved.
 */
export function* paidForReplies(rows: AnswerRows, view: Pick<DumpView, 'facts' | 'settings'>): Steps<PaidFor | null> {
  const found = yield* findPaid(rows, view)
  return found === 'model' ? null : found
}

/**
 * Why it proves nothing that no rollout is said to be paid for the words of a reply: nearly all in which only a reply holds the answer have a high reward,
 * or a part of it as where the model gives the answer, and nothing tells what for. Null where that is not so.
 */
export function* untoldAnswers(view: DumpView): Steps<string | null> {
  const { 'answer-contrast-rollouts': enough, 'answer-follows-share': share } = view.settings.thresholds
  const rows = yield* within(0, 0.4, answerRows(view))
  const { model, environment, nowhere } = rows
  const silent = environment.filter(({ answerPlace }) => answerPlace === 'environment')
  if ((yield* within(0.4, 0.7, findPaid(rows, view))) !== null) return null
  const one = whyOneReward(rows, view)
  if (one !== null || silent.length < enough) return one
  const high = highFrom([...model, ...environment, ...nowhere], view) ?? Number.POSITIVE_INFINITY
  for (const part of [null, ...partsOf(view).ofAnswer]) {
    const least = part === null ? high : (median(yield* valuesOf(model, part)) ?? 0)
    const paid = least > 0 ? countFrom(yield* valuesOf(silent, part), least) : 0
    if (paid < share * silent.length) continue
    const what = part === null ? 'a reward of' : `${clipped(part, 40)} at`
    return `${paid} of ${counted(silent.length, 'rollout')} in which only a reply holds the answer ${paid === 1 ? 'has' : 'have'} ${what} ${shown(least)} or more, ${part === null ? 'which is high in this dump' : 'as those whose model gives it'}: nothing tells whether it is for the words of the reply`
  }
  return null
}

/**
 * Why nothing is known of what rollouts are rewarded for that all have one reward, those whose answer only a reply holds, or nothing, as those that give it
 * themselves; null where rewards differ, or no rollout has its answer in a reply alone.
 */
export function whyOneReward(
  { model, environment, nowhere }: AnswerRows,
  view: Pick<DumpView, 'settings'>,
): string | null {
  const rows = [...environment, ...model, ...nowhere]
  const [first] = environment
  if (first === undefined || highFrom(rows, view) !== null) return null
  return `all ${counted(rows.length, 'rollout')} with an expected answer have reward ${shown(first.reward as number)}, ${environment.length} of them with the answer in a reply of the environment alone: nothing tells what a reward is given for that all have`
}

/** Says `model` where the reward or a part of it is given for the answer of the model alone. */
function* findPaid(rows: AnswerRows, view: Pick<DumpView, 'facts' | 'settings'>): Steps<PaidFor | 'model' | null> {
  const { thresholds } = view.settings
  const total = yield* contrastOf(rows, null, thresholds)
  if (total.follows === 'model') return 'model'
  const { ofAnswer, ofOther } = partsOf(view)
  let [isOfModel, found] = [false, null as PaidFor | null]
  for (const part of ofAnswer) {
    const { follows, full } = yield* contrastOf(rows, part, thresholds)
    isOfModel ||= follows === 'model'
    if (follows === 'replies') found ??= { part, full }
  }
  if (total.follows === null) return isOfModel ? 'model' : found !== null && isPaidOut(rows, thresholds) ? found : null
  // What the reply brings may be what is meant to be paid for.
  for (const part of found === null ? ofOther : []) {
    const { follows } = yield* contrastOf(rows, part, thresholds)
    if (follows === 'replies') return isOfModel ? 'model' : null
  }
  return { part: null, full: total.full }
}

/** Words by which parts of a reward say that they are for the answer, and those by which they say that they are for something else. */
const FOR_ANSWER = /(?:^|[^a-z])(?:em|f1|acc)(?![a-z])|exact|match|correct|accura|answer/i
const FOR_OTHER =
  /retriev|recall|search|doc|passage|support|evidence|context|grounded|cit(?:e|ation)|tool|rank|format|tag|len|num|count|(?:^|[^a-z])sp[^a-z]/i

/** Parts of the reward that are named for the answer, and those that are named for something else. */
function partsOf({ facts }: Pick<DumpView, 'facts'>): { readonly ofAnswer: string[]; readonly ofOther: string[] } {
  const names = [...new FactColumns(facts).names('rewards').keys()]
  const ofOther = names.filter((name) => FOR_OTHER.test(name))
  const ofAnswer = names.filter((name) => FOR_ANSWER.test(name) && !FOR_OTHER.test(name))
  return { ofAnswer: ofAnswer.slice(0, MOST_PARTS), ofOther: ofOther.slice(0, MOST_PARTS) }
}

/** More of them are metrics of an evaluation, and each is looked up in all rollouts that have an answer. */
const MOST_PARTS = 16

/** What of a rollout is paid: `full` is the middle one of the rollouts in which the model gives the answer. */
interface Contrast {
  /** The model's words alone, those of a reply as well, or something else. */
  readonly follows: 'model' | 'replies' | null
  readonly full: number
}

const NOTHING: Contrast = { follows: null, full: Number.NaN }

function* contrastOf(rows: AnswerRows, part: string | null, thresholds: Thresholds): Steps<Contrast> {
  const { 'answer-contrast-rollouts': enough, 'answer-follows-share': share } = thresholds
  if (rows.model.length < enough || rows.nowhere.length < enough) return NOTHING
  const model = yield* valuesOf(rows.model, part)
  const full = median(model)
  if (full === null || Number.isNaN(full) || countFrom(model, full) < share * model.length) return NOTHING
  const nowhere = yield* valuesOf(rows.nowhere, part)
  if (countFrom(nowhere, full) > (1 - share) * nowhere.length) return NOTHING
  const environment = yield* valuesOf(rows.environment, part)
  if (environment.length < enough) return NOTHING
  const paid = countFrom(environment, full)
  // A judge that reads meaning rewards paraphrases: then only some of these rollouts have the reward.
  if (paid >= enough && paid >= share * environment.length) return { follows: 'replies', full }
  return paid <= (1 - share) * environment.length ? { follows: 'model', full } : NOTHING
}

function* valuesOf(rows: readonly TrajectoryFacts[], part: string | null): Steps<number[]> {
  const values: number[] = []
  yield* forEachOf(rows, (row) => void values.push(valueIn(row, part)))
  return values
}

/** The reward of a rollout, or a part of it; NaN without. */
export function valueIn({ reward, rewards }: TrajectoryFacts, part: string | null): number {
  return (part === null ? reward : rewards?.[part]) ?? Number.NaN
}

function countFrom(values: readonly number[], least: number): number {
  let count = 0
  for (const value of values) if (value >= least) count++
  return count
}

/** A part may be a metric that does not count: what rollouts get whose answer only a reply holds is nearer to that where the model gives it. */
function isPaidOut(rows: AnswerRows, { 'high-reward-share': share }: Thresholds): boolean {
  const [model, environment, nowhere] = [rows.model, rows.environment, rows.nowhere].map((of) =>
    median(of.map(({ reward }) => reward as number)),
  ) as [number, number, number]
  return model > nowhere && environment >= nowhere + (model - nowhere) * share
}

/** The reward from which on one is high: a share of the way from the lowest to the highest. Null where all are the same. */
export function highFrom(
  rows: readonly TrajectoryFacts[],
  { settings: { thresholds } }: Pick<DumpView, 'settings'>,
): number | null {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { reward } of rows) {
    if (reward === null || !Number.isFinite(reward)) continue
    low = Math.min(low, reward)
    high = Math.max(high, reward)
  }
  return high - low > thresholds['same-reward'] ? low + (high - low) * thresholds['high-reward-share'] : null
}

export function shareAtLeast(rows: readonly TrajectoryFacts[], value: number): number {
  return rows.length === 0 ? 0 : rows.filter(({ reward }) => (reward as number) >= value).length / rows.length
}
