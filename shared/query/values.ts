import type { TrajectoryFacts } from '../checks/facts.ts'
import { completionLength, isCut } from '../checks/limits.ts'
import { hasHiddenDocuments, hasLostText } from '../checks/rollout-filter.ts'
import type { Severity } from '../model/report.ts'

/** What queries are asked of: rollouts in report order, more of them as they are read. */
export interface QueryableRollouts {
  readonly facts: readonly TrajectoryFacts[]
  /** Codes of the findings of a rollout and of its group, intended ones excepted. */
  codesOf(index: number): readonly string[]
  worstOf(index: number): Severity | null
  /** Name of a source. */
  sourceName(source: number): string
}

/** Numbers of a rollout by field, null where it has none. What hangs on findings or on other rollouts stands elsewhere (`columns.ts`). */
export const NUMBERS: Readonly<Record<string, (row: TrajectoryFacts, index: number) => number | null>> = {
  reward: ({ reward }) => reward,
  advantage: ({ advantage }) => advantage,
  max_advantage: ({ maxAdvantage }) => maxAdvantage,
  step: ({ step }) => step,
  tokens: (row) => (row.idsHash === null ? null : row.realLength),
  // A dump may declare any number.
  prompt_tokens: ({ promptLength }) => (promptLength === null || promptLength < 0 ? null : promptLength),
  completion_tokens: (row) => (row.promptLength === null || row.idsHash === null ? null : completionLength(row)),
  trained_tokens: ({ trained }) => trained,
  trained_share: ({ trained, realLength }) => (trained === null || realLength === 0 ? null : trained / realLength),
  padding_tokens: (row) => (row.idsHash === null ? null : row.padding),
  turns: ({ turns }) => turns,
  assistant_turns: ({ assistantTurns }) => assistantTurns,
  tool_turns: ({ toolTurns }) => toolTurns,
  mean_gap: ({ gap }) => (gap === undefined ? null : gap.absolute / gap.count),
  mean_kl: ({ kl }) => (kl === undefined ? null : (kl.formulas[2] as number) / kl.count),
  lost: ({ lost }) => lost,
  temperature: ({ temperature }) => temperature ?? null,
  index: (_, index) => index,
  record: ({ place }) => place.record,
}

/** Fields of which a rollout has several numbers; one of them has to fit. */
export const NUMBER_LISTS: Readonly<Record<string, (row: TrajectoryFacts) => readonly number[]>> = {
  turn_tokens: ({ assistantLengths }) => assistantLengths,
  reply_tokens: ({ toolReplyLengths }) => toolReplyLengths,
}

/** Words of a rollout by field, null where it has none. */
export const WORDS: Readonly<Record<string, (row: TrajectoryFacts) => string | null>> = {
  id: ({ id }) => id,
  group: ({ group }) => group,
  model: ({ model }) => model,
  answer: ({ answerPlace }) => answerPlace ?? null,
  // The two that `end` asks for.
  end_reason: ({ endReason }) => endReason,
  finish_reason: ({ finishReason }) => finishReason,
}

type Holds = (row: TrajectoryFacts, codes: readonly string[]) => boolean

/** What may be so of a rollout, by field and choice. */
export const HOLDS: Readonly<Record<string, Readonly<Record<string, Holds>>>> = {
  lost: {
    // That the start of a prompt is missing may show in its siblings alone (C01).
    any: (row, codes) => hasLostText(row) || codes.includes('C01'),
    documents: hasHiddenDocuments,
    start: (row, codes) => row.cutLeft !== undefined || codes.includes('C01'),
    reply: ({ cutReplies }) => cutReplies !== undefined,
    end: isCut,
  },
  excluded: { yes: ({ excluded }) => excluded },
  truncated: { yes: ({ isTruncated }) => isTruncated === true },
  has: {
    ids: ({ idsHash }) => idsHash !== null,
    mask: ({ trained }) => trained !== null,
    reward: ({ reward }) => reward !== null,
    advantage: ({ advantage }) => advantage !== null,
    group: ({ group }) => group !== null,
    step: ({ step }) => step !== null,
    turns: ({ turns }) => turns > 0,
    finish_reason: ({ finishReason }) => finishReason !== null,
    documents: ({ supportingDocuments }) => supportingDocuments !== null,
    logprob_gap: ({ gap }) => gap !== undefined,
  },
}
