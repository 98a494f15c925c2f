import type { DumpView } from '../checks/check.ts'
import type { CheckResult, HypothesisId, HypothesisResult, LogReport } from '../model/report.ts'
import type { Steps } from '../model/steps.ts'
import type { Stream } from '../model/streams.ts'

/**
 * Everything that a verdict may rest on. The session supplies it once the last trajectory has been looked at; nothing here
 * grows with the number of tokens.
 */
export interface HypothesisInput {
  /** Facts, groups, limits (inferred ones too) and settings of the whole dump. */
  readonly dump: DumpView
  /**
   * Results of every check that was run, as the report lists them. `severity` is the check's own, unless every finding of the code
   * has another one (C04, M04 and M10 may be lowered): then that one. `pattern`, `by_turn` and `by_boundary` are used.
   */
  readonly checks: readonly CheckResult[]
  /** Streams that at least one trajectory of the dump carries. */
  readonly streams: ReadonlySet<Stream>
  /** Sum of the loss weights over all tokens; null where the dump has no mask. */
  readonly totalWeight: number | null
  /**
   * Sum of the loss weights on tokens that no oracle calls sampled: the structure oracle under the policy says `masked` and
   * provenance is not `sampled`, or there is no structure and provenance says `notSampled`. Null where no trajectory had an oracle (no tokenizer
   * that frames turns, no provenance) or no mask.
   */
  readonly unsampledWeight: number | null
  /** Ids of the formats of the dump's sources, each once; absent where they are not known. */
  readonly formats?: readonly string[]
  /** What it would take to find turns in the ids where a tokenizer is known that finds none; null or absent elsewhere. */
  readonly lackOfTurns?: string | null
  /** Id of the tokenizer, null or absent where none was found; compared with that of a second run. */
  readonly tokenizer?: string | null
  /** What the run logged, by step; absent or empty where no log was given. */
  readonly logs?: readonly LogReport[]
  /** A second run that was given beside this one, for the verdicts that need two; absent or null where there is none. */
  readonly against?: SecondRun | null
  /**
   * Share of the tokens that a correct mask trains under the policy and this one does not, over rollouts that train something: those that the structure oracle
   * names, or the dump itself where there are no turns. Null where nothing tells of any.
   */
  readonly untrainedShare: number | null
}

/** What is known of a second run, audited under the same options. */
export interface SecondRun {
  readonly logs?: readonly LogReport[]
  readonly dump: DumpView
  readonly checks: readonly CheckResult[]
  readonly streams: ReadonlySet<Stream>
  /** Prompts of two runs can be compared id by id only where this is the same. */
  readonly tokenizer: string | null
}

/** One question about a run. One file, one line in `registry.ts`; `judge` follows the contract's table "When a verdict falls". */
export interface Hypothesis {
  readonly id: HypothesisId
  readonly title: string
  /** What the hypothesis claims, in a sentence. */
  readonly claim: string
  /** Codes that its verdict rests on beside those of the checks that name it. */
  readonly reads?: readonly string[]
  /** How many rollouts have what it measures, 0 where it rests on a log alone; absent where any rollout has. */
  sees?(input: HypothesisInput): number
  judge(input: HypothesisInput): HypothesisResult
  /** What it measures, where that takes long over many rollouts: done in steps and remembered until it judges. */
  measure?(input: HypothesisInput): Steps<unknown>
}
