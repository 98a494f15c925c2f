import type { DumpView } from '../checks/check.ts'
import { FactColumns } from '../checks/facts/fact-columns.ts'
import type { EndReason, TrajectoryFacts } from '../checks/facts/facts.ts'
import { hasHiddenDocuments, hasLostText } from '../checks/facts/rollout-filter.ts'
import { correlation, mean } from '../checks/groups/statistics.ts'
import { LIMITED_LENGTHS, type LimitedLength, leftToLimit, limitInForce } from '../checks/limits/limits-left.ts'
import { findingReplyPile } from '../checks/truncation/kind-pile.ts'
import { type BaselinePoison, measuringPoison } from '../checks/truncation/masked-rows-counted.ts'
import { cuttingAgainstSiblings } from '../checks/truncation/prompt-cut-left.ts'
import { type MeanReward, rewardByEnd, rewardByVisibility } from '../checks/truncation/reward-splits.ts'
import { lacksSystem } from '../checks/truncation/systems-left-out.ts'
import { findingToldEnds, type ToldEnds } from '../checks/truncation/told-ends.ts'
import type { Count, RolloutFilter } from '../model/report.ts'
import { atOnce, filtered, forEachOf, type Steps, within } from '../model/steps.ts'
import type { LimitName } from '../model/streams.ts'
import type { HypothesisInput } from './hypothesis.ts'
import { findingLimitsOfSteps } from './step-limits.ts'
import { failingCheck } from './verdict.ts'

/** What H04 measures. */
export interface TruncationMeasures {
  /** Tokens below a limit from which a length is near it. */
  readonly nearTokens: number
  /** Rollouts near a limit, by limit; only limits in tokens over prompt, completion or sequence that are known. */
  readonly nearLimit: readonly (Count & Pick<LimitRule, 'limit' | 'values' | 'leftOut'>)[]
  /** Finds the rollouts near any of them. */
  readonly nearFilter: RolloutFilter
  /** Rollouts near any of them; null without such a limit. */
  readonly nearAny: Count | null
  /** Rollouts that are known to have lost text, of all that the model wrote in; null where of none of them the end or the messages tell. */
  readonly lost: Count | null
  /** Of them, rollouts of which more tells it than how they end: answers that run out of tokens are in every run, and turns and time end rollouts as well. */
  readonly surelyLost: number
  /** Rollouts that are said to have stopped and of which nothing tells whether they did. */
  readonly perhapsLost: number
  /** Rollouts without the system message of their messages, of which nothing tells whether it was cut away. */
  readonly withoutSystem: number
  /** Rollouts with a tool reply that breaks off at one length, as many others do (C08), of all; null where no such length shows. */
  readonly piledReplies: Count | null
  /** Rollouts whose supporting documents are all visible, as far as they were brought, of those that have any; null where none has. */
  readonly documentsVisible: Count | null
  /** Of these, rollouts whose messages tell what was brought; in the others all supporting documents count. */
  readonly retrievalKnown: number
  /** Rollouts with a hidden document of which nothing tells whether it was brought, and that no limit is near to, or cut. */
  readonly perhapsNotBrought: number
  /** Of all supporting documents of all rollouts; null where there is none. */
  readonly documents: DocumentCounts | null
  readonly meanLength: number | null
  readonly longest: number | null
  /** Mean reward by how rollouts end, where some of them are cut; empty else. */
  readonly rewardByEnd: readonly (MeanReward & { readonly end: EndReason })[]
  /** Mean reward of rollouts whose supporting documents are all visible at the answer, and of those where one is hidden; null unless there are both. */
  readonly rewardByVisibility: { readonly visible: MeanReward; readonly hidden: MeanReward } | null
  readonly poison: BaselinePoison | null
  /** Correlation over rollouts of sequence length and reward. */
  readonly lengthRewardCorrelation: number | null
  /** Limits of single steps, in words, where none is known of the whole dump; null where no step shows one. */
  readonly limitsOfSteps: string | null
}

/** Supporting documents, counted once for each rollout that has them in its record. */
export interface DocumentCounts {
  readonly rollouts: number
  readonly available: number
  /** Brought by the environment, of those of rollouts whose messages tell; null where none do. */
  readonly retrieved: Count | null
  readonly visible: number
}

const measured = new WeakMap<HypothesisInput['dump'], TruncationMeasures>()

export function measureTruncation(input: HypothesisInput): TruncationMeasures {
  return atOnce(measuringTruncation(input))
}

/** The same in steps, once for a dump. */
export function* measuringTruncation(input: HypothesisInput): Steps<TruncationMeasures> {
  const known = measured.get(input.dump)
  if (known !== undefined) return known
  const measures = yield* measuring(input)
  measured.set(input.dump, measures)
  return measures
}

function* measuring(input: HypothesisInput): Steps<TruncationMeasures> {
  const facts = yield* within(
    0,
    0.1,
    filtered(input.dump.facts, ({ idsHash }) => idsHash !== null),
  )
  const nearTokens = input.dump.settings.thresholds['near-limit-tokens']
  const rules = limitRules(input.dump, nearTokens)
  const nearLimit: TruncationMeasures['nearLimit'][number][] = []
  for (const { limit, values, leftOut, isNear } of rules) {
    const near = yield* filtered(facts, isNear)
    nearLimit.push({ limit, values, leftOut, checked: facts.length, affected: near.length })
  }
  yield 0.2
  const near = yield* filtered(facts, (row) => rules.some(({ isNear }) => isNear(row)))
  yield 0.3
  // What the environment never brought, no limit took away.
  const documented = yield* filtered(
    new FactColumns(facts).having('supportingDocuments'),
    ({ supportingDocuments: found }) => found !== null && (found.retrieved ?? found.available) > 0,
  )
  yield 0.4
  const lengths: number[] = []
  const rewardedLengths: number[] = []
  const rewards: number[] = []
  yield* within(
    0.4,
    0.6,
    forEachOf(facts, ({ realLength, reward }) => {
      lengths.push(realLength)
      if (reward === null || !Number.isFinite(reward)) return
      rewardedLengths.push(realLength)
      rewards.push(reward)
    }),
  )
  const ends = yield* within(0.6, 0.65, findingToldEnds(input.dump))
  const { lost, surelyLost, withoutSystem } = yield* within(0.65, 0.7, lostText(input, facts, ends))
  const byEnd = rewardByEnd(facts, ends)
  yield 0.8
  const nearRows = new Set(near)
  const perhapsNotBrought = yield* within(
    0.8,
    0.85,
    filtered(documented, (row) => !nearRows.has(row) && isPerhapsNotBrought(row, ends)),
  )
  let [allVisible, retrievalKnown] = [0, 0]
  yield* within(
    0.85,
    0.9,
    forEachOf(documented, (row) => {
      if (!hasHiddenDocuments(row)) allVisible++
      if (row.supportingDocuments?.retrieved != null) retrievalKnown++
    }),
  )
  yield 0.9
  const documents = yield* countingDocuments(input.dump.facts)
  const byVisibility = yield* within(0.9, 0.93, rewardByVisibility(facts))
  const poison = yield* within(0.93, 0.94, measuringPoison(input.dump))
  const piled = yield* within(0.94, 0.95, measuringPiles(input, facts))
  const limitsOfSteps = rules.length === 0 ? yield* within(0.95, 1, findingLimitsOfSteps(input.dump)) : null
  const lengthRewardCorrelation = correlation(rewardedLengths, rewards)
  yield 1
  return {
    nearTokens,
    nearLimit,
    nearFilter: filterOf(rules, input.dump, nearTokens),
    nearAny: rules.length === 0 || facts.length === 0 ? null : { checked: facts.length, affected: near.length },
    lost,
    surelyLost,
    perhapsLost: ends.doubted.size,
    withoutSystem,
    piledReplies: piled,
    documentsVisible: documented.length === 0 ? null : { checked: documented.length, affected: allVisible },
    retrievalKnown,
    perhapsNotBrought: perhapsNotBrought.length,
    documents,
    meanLength: lengths.length === 0 ? null : mean(lengths),
    longest: lengths.length === 0 ? null : lengths.reduce((a, b) => Math.max(a, b)),
    rewardByEnd: byEnd,
    rewardByVisibility: byVisibility,
    poison,
    lengthRewardCorrelation,
    limitsOfSteps,
  }
}

function* countingDocuments(facts: readonly TrajectoryFacts[]): Steps<DocumentCounts | null> {
  let [rollouts, available, told, retrieved, visible] = [0, 0, 0, 0, 0]
  yield* forEachOf(new FactColumns(facts).having('supportingDocuments'), ({ supportingDocuments: found }) => {
    if (found === null || found.available === 0) return
    rollouts++
    available += found.available
    visible += found.visible
    if (found.retrieved === null) return
    told += found.available
    retrieved += found.retrieved
  })
  if (rollouts === 0) return null
  return { rollouts, available, retrieved: told === 0 ? null : { checked: told, affected: retrieved }, visible }
}

/** Without messages, a document that stands nowhere in the ids may be one that no reply brought: more than that takes a row that was cut. */
function isPerhapsNotBrought(row: TrajectoryFacts, ends: ToldEnds): boolean {
  const { retrieved, visible, standing } = row.supportingDocuments ?? { retrieved: 0, visible: 0, standing: 0 }
  return (
    retrieved === null &&
    standing <= visible &&
    hasHiddenDocuments(row) &&
    !hasLostText(row, ends) &&
    row.isTruncated !== true
  )
}

interface LimitRule {
  readonly limit: LimitName
  readonly of: LimitedLength
  readonly values: readonly number[]
  /** How many more values there are. */
  readonly leftOut: number
  isNear(row: TrajectoryFacts): boolean
}

function limitRules(dump: DumpView, nearTokens: number): LimitRule[] {
  const { limits, limitsByRollout, limitsLeftOut } = dump
  return LIMITED_LENGTHS.flatMap((of): LimitRule[] => {
    const limit = limitInForce(of, dump)
    if (limit === null) return []
    const ofRun = limits[limit]
    const several = limitsByRollout?.[limit] ?? []
    return [
      {
        limit,
        of,
        values: ofRun === null ? several.map(({ value }) => value) : [ofRun.value],
        leftOut: ofRun === null ? (limitsLeftOut?.[limit]?.values ?? 0) : 0,
        isNear: (row) => (leftToLimit(row, of, dump) ?? Number.POSITIVE_INFINITY) <= nearTokens,
      },
    ]
  })
}

/** By length where one limit stands for all rollouts, which is what people think in; else by what each left to its own. */
function filterOf(rules: readonly LimitRule[], { limits }: DumpView, nearTokens: number): RolloutFilter {
  const lengths = rules.flatMap(({ limit, of }) => {
    const value = limits[limit]?.value
    return value === undefined ? [] : [{ of, atLeast: Math.max(0, value - nearTokens) }]
  })
  if (lengths.length === rules.length) return { lengths }
  return { left: rules.map(({ of }) => ({ of, atMost: nearTokens })) }
}

/** What cut replies do not show by themselves and lengths do: only where none of them is known to be cut. */
function* measuringPiles(
  input: HypothesisInput,
  facts: readonly TrajectoryFacts[],
): Steps<TruncationMeasures['piledReplies']> {
  const { dump } = input
  if (failingCheck(input, 'C08') === null || new FactColumns(dump.facts).present('cutReplies').includes(1)) return null
  const pile = yield* findingReplyPile(dump)
  // Where no end shows it, replies of one length may be whole.
  return pile === null || pile.side === null ? null : { checked: facts.length, affected: pile.rollouts }
}

/** Rollouts whose own facts tell that text is missing, and those whose siblings do (C01): what the filter `lostText` finds. */
function* lostText(
  { dump }: HypothesisInput,
  facts: readonly TrajectoryFacts[],
  ends: ToldEnds,
): Steps<Pick<TruncationMeasures, 'lost' | 'surelyLost' | 'withoutSystem'>> {
  const beginLater = yield* cuttingAgainstSiblings(dump)
  let [told, untold, affected, surelyLost, withoutSystem] = [0, 0, 0, 0, 0]
  yield* forEachOf(facts, (row) => {
    if (lacksSystem(row) && !beginLater.has(row)) withoutSystem++
    if (hasLostText(row, ends) || beginLater.has(row)) {
      affected++
      if (beginLater.has(row) || isSurelyLost(row)) surelyLost++
    } else if (ends.open.has(row) || ends.doubted.has(row)) untold++
    else if (row.endReason !== 'unknown' && row.endReason !== 'prompt-only') told++
  })
  // Where no end is stored, only what a limit cut tells of itself: of those alone all would be cut.
  const lost = told + affected === 0 ? null : { checked: told + affected + untold, affected }
  return { lost, surelyLost, withoutSystem }
}

function isSurelyLost({ lost, cutLeft, cutReplies }: TrajectoryFacts): boolean {
  return lost > 0 || cutLeft !== undefined || cutReplies !== undefined
}
