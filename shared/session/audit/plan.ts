import type { AuditSettings, CheckTally } from '../../checks/check.ts'
import type { BatchFacts } from '../../checks/facts/batch-facts.ts'
import type { PackedFacts } from '../../checks/facts/kept-facts.ts'
import type { JsonObject, RecordDrift } from '../../containers/container.ts'
import type { EncodedRecords, RecordsElsewhere, RecordsScanned } from '../../containers/decode.ts'
import type { Recognition } from '../../formats/format.ts'
import type { SourceRun } from '../../formats/run-metadata/run-facts.ts'
import type { CountedFinding, Finding } from '../../model/report.ts'
import type { SkippedRecord } from '../../model/source.ts'
import type { Stream } from '../../model/streams.ts'
import type { Probe } from '../../query/plan.ts'
import type { BundledTokenizerId } from '../../tokens/tokenizer.ts'
import type { RolloutAnatomy } from '../lab/anatomy.ts'
import type { KeptParts } from '../opening/choose.ts'
import type { PreparedTokenizer } from '../opening/prepared-tokenizer.ts'
import type { BoundaryCounts } from './boundaries.ts'
import type { ToolTotals } from './tool-sums.ts'

/** How a worker gets the tokenizer: by name, from its host, or by the texts of the files that a person gave. */
export type TokenizerReference =
  | { readonly kind: 'bundled'; readonly id: BundledTokenizerId }
  | {
      readonly kind: 'files'
      readonly id: string
      readonly title: string
      readonly origin: 'given' | 'file' | 'cache'
      readonly tokenizer: string
      readonly config: string | null
    }

/** What was decided for one source. */
export interface SourcePlan {
  readonly formatId: string
  readonly recognition: Recognition
  /** What the container says about all of its records. */
  readonly metadata: JsonObject | null
  /** What its name and the files beside it say. */
  readonly run: SourceRun
  readonly tokenizer: TokenizerReference | null
  /** The same tokenizer, ready to frame and decode. */
  readonly prepared: PreparedTokenizer | null
  readonly settings: AuditSettings
  /** Its first records say enough that it is worth encoding it again (T02), for which a worker has to load an encoder. */
  readonly measuresDrift: boolean
  /** Its rollouts are texts, and are rendered to ids for their lengths. */
  readonly rendersTexts: boolean
}

/** All that is decided before the pass; structured-cloneable, posted to every audit worker once. */
export interface AuditPlan {
  /** For what looks at the dump as a whole. */
  readonly settings: AuditSettings
  readonly sources: readonly SourcePlan[]
  /** Codes to run; null = all. */
  readonly checks: readonly string[] | null
}

/** Consecutive records of one source, not yet decoded. */
export interface AuditJob {
  /** Consecutive over the whole pass; results are put in this order, so the report does not depend on who was faster. */
  readonly job: number
  readonly source: number
  readonly records: EncodedRecords | RecordsElsewhere | RecordsScanned
  /** What `--limit` and `--sample` chose of these records, null = all. */
  readonly keep: KeptParts | null
  /** Its findings are counted alone: as many as a report may list are known from the jobs before it. */
  readonly countsFindings?: true
}

/** Sums over tokens; index of the arrays as in `PARTS`. */
export interface TokenTotals {
  turns: number
  total: number
  trained: number
  masked: number
  padding: number
  unknown: number
  lost: number
  byPart: number[]
  trainedByPart: number[]
  /** Those without a mask. */
  unknownByPart: number[]
  /** Tokens of assistant turns by ordinal, index 0 unused: all of them, the trained ones, and those without a mask. */
  byTurn: number[]
  trainedByTurn: number[]
  unknownByTurn: number[]
  /** End tokens of turns, and the trained ones, by the kind of the turn in the order of `TURN_KINDS`; null where a part was summed without. */
  ends: number[] | null
  trainedEnds: number[] | null
  /** Those without a mask. */
  unknownEnds: number[]
  byTool: ToolTotals
  /** Some trajectory had a mask. */
  maskKnown: boolean
  /** Sum of the loss weights, in the units of `weightUnits`. */
  weight: bigint
  /** Loss weight on tokens that no oracle calls sampled; null while no trajectory had both a mask and an oracle. */
  weightUnsampled: bigint | null
  /** Tokens that a correct mask trains under the policy, in rows that train something; and those of them that are masked. */
  sampled: number
  untrained: number
}

export interface BatchResult {
  readonly job: number
  readonly source: number
  readonly records: number
  readonly facts: BatchFacts
  /** Of each of these rollouts, in the report's order; findings of the whole dump are added later. */
  readonly findings: readonly (readonly Finding[])[]
  /** In place of them where they are counted alone, else null. */
  readonly counted: readonly (readonly CountedFinding[])[] | null
  readonly skipped: readonly SkippedRecord[]
  readonly drift: readonly RecordDrift[]
  readonly streams: readonly Stream[]
  readonly tallies: Readonly<Record<string, CheckTally>>
  readonly totals: TokenTotals
  readonly boundaries: BoundaryCounts
}

/** A result as it is posted between threads. */
export interface PostedResult extends BatchResult {
  readonly facts: PackedFacts
}

/** Consecutive records of one source, not yet decoded, whose rollouts are read again. */
export interface ReadAgain {
  readonly job: number
  readonly source: number
  readonly records: EncodedRecords
  /** Record and part of each rollout to look into, one after the other. */
  readonly places: Int32Array
  /** Of the record of each; another one now means that the file changed. */
  readonly hashes: readonly string[]
}

/** In whose rollouts something is looked for. */
export interface SearchJob extends ReadAgain {
  readonly probes: readonly Probe[]
}

/** Of each probe in each rollout, rollout after rollout, in the order of the job. */
export interface SearchedBatch {
  readonly job: number
  /** `Hit.count`; -1 where the rollout could not be read again. */
  readonly counts: Int32Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly messages: Int32Array
}

/** Of whose rollouts it is told where everything stands. */
export type DissectJob = ReadAgain

export interface DissectedBatch {
  readonly job: number
  /** In the order of the job; null for a rollout without ids, or that could not be read again. */
  readonly anatomies: readonly (RolloutAnatomy | null)[]
}

/** Coordinator to audit worker. */
export type AuditRequest =
  | { readonly kind: 'plan'; readonly plan: AuditPlan }
  | { readonly kind: 'job'; readonly job: AuditJob }
  | { readonly kind: 'search'; readonly job: SearchJob }
  | { readonly kind: 'dissect'; readonly job: DissectJob }

/** Audit worker to coordinator. */
export type AuditReply =
  | { readonly kind: 'result'; readonly result: PostedResult }
  | { readonly kind: 'searched'; readonly result: SearchedBatch }
  | { readonly kind: 'dissected'; readonly result: DissectedBatch }
  | {
      readonly kind: 'failed'
      readonly job: number
      readonly message: string
      /** The worker could not have the bytes of its records: their file is lost, the worker is not. */
      readonly unread?: true
    }
