import type { Policy } from './policy.ts'
import type { RunMetric } from './run-log.ts'
import type { Place, SkippedRecord } from './source.ts'
import type { LimitInForce, LimitName, LimitsByRollout, LimitsLeftOut, Stream } from './streams.ts'
import type { Part, TurnKind } from './tokens.ts'
import type { TokenSums } from './trained-share.ts'

export const REPORT_SCHEMA = 'rollout-inspector.report/1'

export type Severity = 'error' | 'warning' | 'info'
export type CheckStatus = 'fail' | 'pass' | 'not-checkable' | 'not-applicable'
export type Unit = 'trajectory' | 'group' | 'source'
export type Scope = 'tokens' | 'turn' | 'trajectory' | 'group' | 'source'
export type HypothesisId = 'H01' | 'H02' | 'H03' | 'H04' | 'H05' | 'H06-library' | 'H06-lora' | 'H07' | 'H08'

export interface Count {
  checked: number
  affected: number
}

export interface Finding {
  code: string
  severity: Severity
  scope: Scope
  source: number
  record: number | null
  part: number | null
  /** Line of the record, 1-based, where its container has lines; counted after decompression. */
  line?: number
  trajectory: string | null
  group: string | null
  members: (Place & { trajectory: string; line?: number })[] | null
  turn: number | null
  /** Half-open, in stored ids, padding included. */
  tokens: [number, number] | null
  fingerprint: string
  message: string
  evidence: Record<string, unknown>
  /** Present and true where the declared policy intends it; such a finding fails nothing. */
  intended?: boolean
  /** Id of the defect that explains it; absent where it stands for itself. */
  defect?: string
}

/** What of a finding is counted, whether or not it is listed. */
export type CountedFinding = Readonly<Pick<Finding, 'code' | 'severity' | 'intended'>>

export interface CheckResult {
  code: string
  name: string
  title: string
  hypotheses: HypothesisId[]
  severity: Severity
  status: CheckStatus
  needs: Stream[]
  reason: string | null
  unit: Unit
  checked: number
  affected: number
  rate: number | null
  pattern: 'systematic' | 'sporadic' | null
  places: Count
  affected_tokens: number
  affected_weight: number | null
  by_turn: Record<string, number>
  /** Of `by_turn`, faults that stand at the end of the row, which are none of that turn's; absent where there are none. */
  by_turn_at_end?: Record<string, number>
  /** Units by assistant turn that the check looked at, of which `by_turn` are affected; empty where no place has a turn. */
  by_turn_checked: Record<string, number>
  /** Of `by_turn_checked`, turns of which it looked at the end of the row alone; absent where there are none. */
  by_turn_checked_at_end?: Record<string, number>
  by_boundary: Record<string, Count>
  /**
   * Affected rollouts and all rollouts of each step that has some, those with the most first, 1,024 at most; absent where the check passes or
   * the dump has no steps.
   */
  by_step?: Record<string, Count>
  /** The same by environment. */
  by_environment?: Record<string, Count>
  /** The part of the dump that a systematic fault is confined to, where it is so in that part alone; steps from and to, both in it. */
  systematic_in?: {
    sources?: number[]
    environments?: string[]
    steps?: [number, number]
    /**
     * What its rollouts have in common and no other has: a turn with several calls, a call of this tool, so many turns of the model, a tool reply of at
     * most so many tokens, or so many tokens.
     */
    rollouts?:
      | { parallel_calls: true }
      | { tool: string }
      | { least_turns: number }
      | { most_reply_tokens: number }
      | { least_tokens: number }
  }
  /** Affected units that the policy intends; not part of `affected`. */
  intended: number
  /** Rollouts that were not looked at, because the check goes by the mask and theirs does not fit their ids (S03); absent where there are none. */
  left_out?: number
  /** Numbers over the whole dump that belong to every finding of the code; absent where the check states none. */
  context?: Record<string, unknown>
}

/** Facts by which the rollouts behind a number are found again; everything given must hold. */
export interface RolloutFilter {
  /** A length in tokens, padding excluded, from `atLeast` to below `below`; one of the list must hold. */
  lengths?: {
    of: 'sequence' | 'prompt' | 'completion' | 'assistant-turn' | 'tool-reply'
    atLeast: number
    below?: number
  }[]
  /** Tokens that a length left to the limit that the rollout is judged by, at most so many; one of the list must hold. */
  left?: {
    of: 'sequence' | 'prompt' | 'completion' | 'assistant-turn'
    atMost: number
  }[]
  /** How it ends by its ids. */
  end?: 'stop' | 'cut-prose' | 'cut-call' | 'cut-reply' | 'prompt-only' | 'unknown'
  /** Turns of the assistant, at least so many. */
  assistantTurns?: number
  /** Text is known to be lost, or the rollout ends where nothing closes it. */
  lostText?: true
  /** Not all supporting documents are visible at the answer. */
  documentsHidden?: true
}

/** What a measure was taken over, where neither a check nor a filter names it. A name stays what it is when the measure is worded anew. */
export type MeasureSubject =
  /** One component of the reward, by its name. */
  | { component: string }
  /** All groups, and the scheme that their advantages follow. */
  | 'scheme'
  | 'groups-without-contrast'
  | 'groups-without-spread'
  | 'groups-below-noise'
  /** The std of the rewards of each complete group. */
  | 'reward-spread'
  | 'group-means'
  | 'largest-advantages'
  | 'advantages'
  | 'rewards'
  | 'lengths'
  | 'lengths-and-rewards'
  /** Rollouts that have supporting documents. */
  | 'supporting-documents'
  /** Rollouts whose supporting documents are all visible at the answer. */
  | 'visible-documents'
  | 'trained-unwritten-tokens'
  | 'masked-written-tokens'
  | 'logprob-gap'
  | 'logprob-gap-by-step'
  | 'logprob-gap-of-last-steps'
  | 'kl'
  | 'both-runs'

export interface Measure {
  measure: string
  value: number | string | null
  threshold: number | string | null
  comparison: '>' | '>=' | '<' | '<=' | '='
  checks: string[]
  /** Which way it speaks, whatever the verdict; absent where it lies between its thresholds, is too thin to count, or is only stated. */
  speaks?: 'for' | 'against'
  /** The rollouts behind the value, where no check names them. */
  where?: RolloutFilter
  /** What the value was taken over; absent where `checks` or `where` tell, or nothing but a log of the run. */
  rests_on?: MeasureSubject
}

export interface HypothesisResult {
  id: HypothesisId
  title: string
  verdict: 'supported' | 'contradicted' | 'inconclusive' | 'not-checkable'
  confidence: 'high' | 'medium' | 'low'
  because: Measure[]
  missing: string[]
  /** What would make the verdict fall otherwise, one way a sentence: `contradicted if below 5 % (now 31 %): share of …`. */
  would_change: string[]
  /** For streams among `missing`, the switches of trainers that write them; absent where there are none. */
  recorded_by?: string[]
}

/** A failing check that a defect explains. */
export interface Symptom {
  code: string
  /** Units of the check that have the fault because of the defect. */
  affected: number
  /** All places of the check, as in its result. */
  places: Count
  pattern: CheckResult['pattern']
}

/** One cause with everything that fails because of it. A check may be a symptom of one defect at most, but for single rollouts. */
export interface Defect {
  /** `V1` … for those of the old verifiers trainer, else the code that names the cause. */
  id: string
  title: string
  /** Codes that it is known by. */
  checks: string[]
  places: Count
  why: string
  fix: string
  cite: string
  /** What fails because of it, those it is known by first. */
  symptoms: Symptom[]
  /** The defect that it is told together with, in one sentence: that one's `statement`. */
  part_of?: string
  /** Present where other defects are part of this one: what all of them come to. */
  statement?: string
}

/** How much of what a source holds was found in others. */
export interface SourceJoin {
  /** What it was found by: `sample index`. */
  on: string
  /** Names of the others. */
  with: string[]
  /** Whether its rollouts, or its notes on rollouts, are told with those of the others. */
  adds: boolean
  matched: number
  of: number
  /** Those that are in another file under the same key, with other token ids. */
  other_ids: number
}

export interface SourceReport {
  name: string
  bytes: number
  sha256: string | null
  container: string | null
  format: {
    id: string
    version: string | null
    confidence: number
    evidence: string[]
    /** Formats that are as sure of the records, the one that reads them first; absent where none is. */
    rivals?: string[]
  } | null
  records: number
  trajectories: number
  skipped: SkippedRecord[]
  missing: Stream[]
  drift: string[]
  /** How it was read where that is not plain: calls of a pickle that were not made, what was found in other files. Absent where nothing is to be said. */
  notes?: string[]
  /** What the texts of its rollouts came to under a chat template; absent where none were to be rendered. `tokenizer` null: none was known. */
  rendering?: { tokenizer: string | null; rollouts: number; of: number; tokens: number }
  /** Files that hold parts of the same rollouts; absent where there are none. */
  joined?: SourceJoin[]
  /** Present where nothing of the source could be read: `container` and `format` are null, and this is why. */
  unreadable?: { code: string; message: string }
}

/** A log file of the run. Numbers that are not finite are null, as JSON has none of them. */
export interface LogReport {
  name: string
  bytes: number
  kind: string
  title: string
  evidence: string
  notes: string[]
  /** Of the metrics that are known by their names. */
  series: { name: string; metric: RunMetric; steps: number[]; values: (number | null)[] }[]
  /** Names of the others. */
  others: string[]
}

export interface Report {
  schema: typeof REPORT_SCHEMA
  tool: { name: string; version: string }
  sources: SourceReport[]
  /** What log files of the run say, beside its rollouts or alone; absent where there are none. */
  logs?: LogReport[]
  tokenizer: {
    id: string | null
    origin: 'given' | 'metadata' | 'bundled' | 'file' | 'cache' | 'none'
    confidence: number
    evidence: string[]
    /** Why it finds no turns in the ids and what would, as a verdict says what it lacks; absent where it may find some. */
    lacks?: string
  }
  policy: Policy
  limits: Record<LimitName, LimitInForce | null>
  /** Limits of which rollouts declare several values: each rollout is judged by its own, and `limits` has none. Absent where there are none. */
  limits_by_rollout?: LimitsByRollout
  /** What `limits_by_rollout` does not list, which is but the most common values of a limit. Absent where it lists all. */
  limits_left_out?: LimitsLeftOut
  /** Thresholds that are not at their default, by id; absent where all are. */
  thresholds?: Record<string, { value: number; default: number }>
  totals: {
    trajectories: number
    groups: number
    /** Rollouts of a group where nothing names groups or their size: as many in a row answer one question each. Absent where something does. */
    group_size_by_questions?: number
    turns: number
    tokens: { total: number; trained: number; masked: number; padding: number; unknown: number; lost: number }
    by_part: Record<Part, TokenSums>
    /** Tokens of assistant turns, from after the header through the end token, by the 1-based ordinal of the turn. */
    by_turn: Record<string, TokenSums>
    /**
     * Of the part `end`, the end tokens of turns by the role of the turn, as a correct mask trains those of the assistant alone. Roles
     * without one are not listed; absent where a merged report did not count them.
     */
    end_by_role?: Partial<Record<TurnKind, TokenSums>>
    /**
     * What the calls and the replies of each tool take, by tokens, most first. `tool` is null where the ids do not tell which it was,
     * and for all beyond the first 32.
     */
    by_tool: {
      tool: string | null
      calls: TokenSums & { count: number }
      replies: TokenSums & { count: number }
    }[]
  }
  checks: CheckResult[]
  defects: Defect[]
  hypotheses: HypothesisResult[]
  findings: Finding[]
  findings_omitted: number
  aggregates: Record<string, unknown>
}
