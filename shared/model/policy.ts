import type { ThresholdId } from './thresholds/registry.ts'

export type PolicyId = 'rl' | 'sft' | 'last-turn'
export type MaskAlignment = 'token' | 'target'

/** What the run means to train. */
export interface Policy {
  readonly id: PolicyId
  readonly origin: 'given' | 'format' | 'default'
  readonly evidence: readonly string[]
  /** Codes that the person or the policy declares intended. */
  readonly intended: readonly string[]
  /** What the dump's own shape suggests; silences nothing until accepted. */
  readonly suggested: PolicyId | null
  /** Absent where none is suggested. */
  readonly conventions?: readonly SuggestedConvention[]
  readonly mask_alignment: MaskAlignment
  /** Assistant turns before the first that is trained are taken for examples in the prompt, which no model wrote in these rollouts. Absent elsewhere. */
  readonly examples_in_prompt?: true
  /** Every mask lies one token early, and nothing tells why: the alignment is taken for `target` and should be declared. Absent elsewhere. */
  readonly alignment_undecided?: true
}

/** A way to train, beside the policies, that the dump's own shape suggests; it silences nothing until it is declared. */
export interface SuggestedConvention {
  readonly id: 'history-thoughts-masked' | 'truncated-rows-masked' | 'observation-loss' | 'branching-rows'
  /** Codes that declare it (`--intend`). */
  readonly intend: readonly string[]
  /** What it is seen by, with its numbers. */
  readonly evidence: string
}

/** In `AuditOptions.readAs`, whatever a file is called. */
export const ALL_FILES = '*'

/** What a person may declare about a run; every field absent means "find out". Mirrors the options of `inspect`. */
export interface AuditOptions {
  readonly tokenizer?: string
  readonly policy?: PolicyId
  readonly intend?: readonly string[]
  readonly maskAlignment?: MaskAlignment | 'auto'
  readonly limits?: Partial<import('./streams.ts').Limits>
  readonly groupSize?: number
  readonly scaleRewards?: 'group' | 'batch' | 'none'
  readonly advantageEps?: number
  readonly lossType?: 'grpo' | 'dapo' | 'dr_grpo' | 'bnpo'
  readonly klBeta?: number
  readonly checks?: readonly string[]
  readonly hypotheses?: readonly string[]
  readonly limit?: number
  readonly sample?: number
  readonly seed?: number
  /** Most bytes that may come out of one compressed file, in place of the rule that its own size sets. */
  readonly maxUnpacked?: number
  /** Paths by field of the native format, for dumps of no known format. */
  readonly map?: Readonly<Record<string, string>>
  /** Ids of formats by the names of files, for those of whose records several formats are as sure; `ALL_FILES` for every such file. */
  readonly readAs?: Readonly<Record<string, string>>
  /** Texts of rollouts without ids are rendered through the chat template of the tokenizer, to ids that are marked as reconstructed. */
  readonly renderTexts?: boolean
  readonly failOn?: 'error' | 'warning' | 'none'
  readonly maxFindings?: number
  /** Numbers by which checks and verdicts decide, where they are not to be the default. */
  readonly thresholds?: Partial<Readonly<Record<ThresholdId, number>>>
}
