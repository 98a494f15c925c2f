import type { EndReason, TrajectoryFacts } from '../checks/facts.ts'
import { correlation, mean } from '../checks/groups/statistics.ts'
import type { ResolvedLimits } from '../checks/limits.ts'
import { fitsFilter, hasHiddenDocuments, hasLostText } from '../checks/rollout-filter.ts'
import { type BaselinePoison, baselinePoison } from '../checks/truncation/masked-rows-counted.ts'
import { cutAgainstSiblings } from '../checks/truncation/prompt-cut-left.ts'
import { type MeanReward, rewardByEnd, rewardByVisibility } from '../checks/truncation/reward-splits.ts'
import type { Count, RolloutFilter } from '../model/report.ts'
import type { LimitName } from '../model/streams.ts'
import type { HypothesisInput } from './hypothesis.ts'

/** What H04 measures. */
export interface TruncationMeasures {
  /** Tokens below a limit from which a length is near it. */
  readonly nearTokens: number
  /** Rollouts near a limit, by limit; only limits in tokens over prompt, completion or sequence that are known. */
  readonly nearLimit: readonly (Count & { readonly limit: LimitName; readonly value: number })[]
  /** Finds the rollouts near any of them. */
  readonly nearFilter: RolloutFilter
  /** Rollouts near any of them; null without such a limit. */
  readonly nearAny: Count | null
  /** Rollouts that lost text, of those whose end or messages tell; null where none tells. */
  readonly lost: Count | null
  /** Rollouts whose supporting documents are all visible, as far as they were brought, of those that have any; null where none has. */
  readonly documentsVisible: Count | null
  readonly meanLength: number | null
  readonly longest: number | null
  /** Mean reward by how rollouts end, where some of them are cut; empty else. */
  readonly rewardByEnd: readonly (MeanReward & { readonly end: EndReason })[]
  /** Mean reward of rollouts whose supporting documents are all visible at the answer, and of those where one is hidden; null unless there are both. */
  readonly rewardByVisibility: { readonly visible: MeanReward; readonly hidden: MeanReward } | null
  readonly poison: BaselinePoison | null
  /** Correlation over rollouts of sequence length and reward. */
  readonly lengthRewardCorrelation: number | null
}

export function measureTruncation(input: HypothesisInput): TruncationMeasures {
  const facts = input.dump.facts.filter(({ idsHash }) => idsHash !== null)
  const nearTokens = input.dump.settings.thresholds['near-limit-tokens']
  const rules = limitRules(input.dump.limits, nearTokens)
  const nearLimit = rules.map(({ limit, value, filter }) => ({
    limit,
    value,
    checked: facts.length,
    affected: facts.filter((row) => fitsFilter(row, filter)).length,
  }))
  const nearFilter = { lengths: rules.flatMap(({ filter }) => filter.lengths) }
  const near = rules.length === 0 ? [] : facts.filter((row) => fitsFilter(row, nearFilter))
  // What the environment never brought, no limit took away.
  const documented = facts.filter(
    ({ supportingDocuments: found }) => found !== null && (found.retrieved ?? found.available) > 0,
  )
  const rewarded = facts.filter(({ reward }) => reward !== null && Number.isFinite(reward))
  const lengths = facts.map(({ realLength }) => realLength)
  return {
    nearTokens,
    nearLimit,
    nearFilter,
    nearAny: rules.length === 0 || facts.length === 0 ? null : { checked: facts.length, affected: near.length },
    lost: lostText(input, facts),
    documentsVisible:
      documented.length === 0
        ? null
        : { checked: documented.length, affected: documented.filter((row) => !hasHiddenDocuments(row)).length },
    meanLength: lengths.length === 0 ? null : mean(lengths),
    longest: lengths.length === 0 ? null : lengths.reduce((a, b) => Math.max(a, b)),
    rewardByEnd: rewardByEnd(facts),
    rewardByVisibility: rewardByVisibility(facts),
    poison: baselinePoison(input.dump),
    lengthRewardCorrelation: correlation(
      rewarded.map(({ realLength }) => realLength),
      rewarded.map(({ reward }) => reward as number),
    ),
  }
}

interface LimitRule {
  readonly limit: LimitName
  readonly value: number
  readonly filter: RolloutFilter & { lengths: NonNullable<RolloutFilter['lengths']> }
}

function limitRules(limits: ResolvedLimits, nearTokens: number): LimitRule[] {
  const rules: LimitRule[] = []
  const add = (limit: LimitName, of: LimitRule['filter']['lengths'][number]['of']) => {
    const value = limits[limit]?.value
    if (value === undefined) return
    rules.push({ limit, value, filter: { lengths: [{ of, atLeast: Math.max(0, value - nearTokens) }] } })
  }
  add('max_seq_len', 'sequence')
  add('max_prompt_length', 'prompt')
  add('max_completion_length', limits.max_completion_length?.per === 'turn' ? 'assistant-turn' : 'completion')
  return rules
}

/** Rollouts whose own facts tell that text is missing, and those whose siblings do (C01): what the filter `lostText` finds. */
function lostText({ dump }: HypothesisInput, facts: readonly TrajectoryFacts[]): Count | null {
  const beginLater = cutAgainstSiblings(dump)
  let [checked, affected] = [0, 0]
  for (const row of facts) {
    const isLost = hasLostText(row) || beginLater.has(row)
    if (isLost) affected++
    if (isLost || (row.endReason !== 'unknown' && row.endReason !== 'prompt-only')) checked++
  }
  return checked === 0 ? null : { checked, affected }
}
