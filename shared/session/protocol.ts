import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import type { CheckPage } from '../exports/check-page.ts'
import type { FieldMapping } from '../formats/mapping.ts'
import type { RecordPath } from '../formats/mapping-paths.ts'
import type { CauseOrder } from '../hypotheses/causes.ts'
import type { AuditOptions } from '../model/policy.ts'
import type { Finding, Report } from '../model/report.ts'
import type { Segmentation } from '../model/tokens.ts'
import type { Message, RetrievedDocument } from '../model/trajectory.ts'
import type { Recognised } from './opening/recognise.ts'
import type { CompareRequests, RolloutRef, RunName } from './requests/compare.ts'
import type { ExportRequests } from './requests/export.ts'
import type { FollowRequests } from './requests/follow.ts'
import type { GroupRequests } from './requests/groups.ts'
import type { LabRequests } from './requests/lab.ts'
import type { MarkRequests } from './requests/marks.ts'
import type { QueryRequests } from './requests/query.ts'
import type { RolloutOf, RolloutRequests } from './requests/rollout.ts'
import type { StepRequests } from './requests/steps.ts'
import type { TableRequests } from './requests/table.ts'
import type { TaggedSpan } from './rollout/tags.ts'

/** Everything about one rollout that the rollout view shows. Token arrays have length S and are transferred. */
export interface TrajectoryDetail extends RolloutRef {
  readonly facts: TrajectoryFacts
  /** The ids are no recorded ones: a person asked for the texts to be rendered through the chat template. */
  readonly reconstructed: boolean
  readonly ids: Int32Array | null
  /** `TokenState` per token. */
  readonly states: Uint8Array
  readonly weights: Float32Array | null
  /** Structure oracle (`Expected` per token) and provenance oracle (`Provenance`), null where there is none. */
  readonly expected: Uint8Array | null
  readonly provenance: Uint8Array | null
  readonly segmentation: Segmentation | null
  /** The decoded sequence; token i is `text.slice(textOffsets[i], textOffsets[i + 1])` (length S + 1). A character split over tokens stands at the first of them, the others are empty. */
  readonly text: string
  readonly textOffsets: Uint32Array
  /** Bit 1 special, bit 2 added, bit 4 ends inside a character, bit 8 starts inside a character, bit 16 unknown id, bit 32 spells nothing. */
  readonly flags: Uint8Array
  readonly logprobs: {
    readonly sampler: Float32Array | null
    readonly trainer: Float32Array | null
    readonly reference: Float32Array | null
  }
  readonly entropy: Float32Array | null
  readonly kl: Float32Array | null
  readonly advantages: Float32Array | null
  readonly attentionMask: Int32Array | null
  readonly positionIds: Int32Array | null
  readonly messages: readonly Message[] | null
  readonly tools: readonly unknown[] | null
  readonly documents: readonly RetrievedDocument[] | null
  readonly answer: string | null
  /** All findings of this rollout, uncut, sorted as in the report. */
  readonly findings: readonly Finding[]
  /** Places where text is known to be lost. `at` is the token index before which the gap lies. */
  readonly lost: readonly {
    readonly at: number
    readonly tokens: number | null
    readonly text: string | null
    readonly what: string
  }[]
  /** Stretches of replies between tags, by where they begin. */
  readonly tags: readonly TaggedSpan[]
  /** The record as stored, pretty-printed and cut to 200,000 characters. */
  readonly raw: string
}

/** What one token is, in full, for the token panel. */
export interface TokenDetail {
  readonly index: number
  readonly id: number
  /** Raw vocabulary entry, null for an unknown id. */
  readonly raw: string | null
  readonly bytes: Uint8Array
  /** Why each oracle says what it says of the token; null where there is no such oracle. */
  readonly whyStructure: string | null
  readonly whyProvenance: string | null
}

export interface Progress {
  readonly bytesRead: number
  readonly bytesTotal: number
  readonly trajectories: number
  readonly skipped: number
  /** Nothing more will be read: the end was reached, or reading broke off and `report` fails with the reason. */
  readonly done: boolean
  /** Present and true where it is told of the second run that `compare` reads. */
  readonly second?: true
  /** Present and true while files are followed: they were read as far as they go, and more may come. */
  readonly following?: true
  /** Present once everything was read and verdicts are drawn from it: the share of that which is done, from 0 to 1. */
  readonly concluding?: number
  /** Something that is said once while files are followed: what happened to one of them, or the first fault, with its code. */
  readonly said?:
    | { readonly about: 'file'; readonly sentence: string }
    | { readonly about: 'fault'; readonly sentence: string; readonly code: string }
}

export type SortColumn =
  | 'index'
  | 'id'
  | 'group'
  | 'step'
  | 'reward'
  | 'advantage'
  | 'tokens'
  | 'trained'
  | 'turns'
  | 'end'
  | 'findings'
  | 'source'
  | 'prompt'
  | 'completion'
  | 'trainedTokens'
  | 'worst'
  | 'gap'
  | 'kl'
  | 'lost'
  /** By what people attached, where a request tells of that: whether it is flagged, its first label, its first note. */
  | 'flag'
  | 'labels'
  | 'notes'
  | `reward.${string}`

/** One row of the Rollouts table. */
export interface Row {
  readonly index: number
  readonly facts: TrajectoryFacts
  /** Codes with a finding that the policy does not intend, sorted. */
  readonly codes: readonly string[]
  readonly worst: 'error' | 'warning' | 'info' | null
}

/** Edges of one kind over the whole dump, for Verdicts and boundary zoom. */
export interface BoundaryRow {
  /** `assistant>tool`, `tool>assistant`. */
  readonly boundary: string
  readonly edges: number
  /** Share of edges whose header, end token, newline and mask are as they should be; null = nothing to look at. */
  readonly header: number | null
  readonly end: number | null
  readonly newline: number | null
  readonly mask: number | null
  /** The same as counts: the edges at which each is right, of those at which it can be told. */
  readonly counts: Readonly<
    Record<'header' | 'end' | 'newline' | 'mask', { readonly right: number; readonly of: number }>
  >
}

export interface Histogram {
  /** Lower edge of the first bin and width of each, in tokens. */
  readonly from: number
  readonly width: number
  readonly counts: readonly number[]
}

/** What a screen may ask of the engine; each is answered once, or fails with a sentence. Those with a `partial` tell of it before. */
export interface EngineRequests
  extends CompareRequests,
    ExportRequests,
    FollowRequests,
    GroupRequests,
    LabRequests,
    MarkRequests,
    QueryRequests,
    RolloutRequests,
    StepRequests,
    TableRequests {
  /** Opens files (a page posts `File` objects, or descriptions of ranged URLs), and starts reading. */
  open: {
    /** `dataset`: files of the dataset that the run was started with; kept until something else is opened. */
    input: { sources: readonly SourceInput[]; options: AuditOptions; dataset?: readonly SourceInput[] }
    output: OpenedDump
  }
  /**
   * Reads everything again under other settings, beside another `dataset` where one is given (none where that is empty); resolves when settings
   * took effect, progress follows.
   */
  reconfigure: { input: { options: AuditOptions; dataset?: readonly SourceInput[] }; output: OpenedDump }
  /**
   * Reads a second run to its end, under the settings of the open one, and judges the open one beside it. Null takes the second run
   * away. Fails with a sentence where none of it is rollouts; what was compared with before then stays. Opening and reconfiguring
   * begin without one.
   */
  compare: { input: { sources: readonly SourceInput[] | null }; output: Comparison }
  /** Whether any of the files can be read; what is open stays open. Needs nothing open. */
  recognise: { input: { sources: readonly SourceInput[]; options: AuditOptions }; output: Recognised }
  /**
   * Where the fields of a file of no known format may stand, and its first record under `options.map`, or under the proposal where that is
   * absent. `name` is that of `unreadable`, which for a file in an archive is not that of the source. Needs nothing open.
   */
  proposeMapping: { input: { source: SourceInput; name: string; options: AuditOptions }; output: FieldProposal }
  /** The report so far, with some examples of each kind of finding (`page-report.ts`); final once progress is done. Fails with a sentence where reading broke off. */
  report: { input: Record<string, never>; output: Report }
  /** The sources of the report, once each has its SHA-256 or never will. Fails with a sentence where something else is opened before. */
  hashedSources: { input: { run?: RunName }; output: Report['sources'] }
  boundaries: { input: { run?: RunName }; output: readonly BoundaryRow[] }
  lengths: { input: { of: 'sequence' | 'prompt' | 'assistant-turn' | 'tool-reply' }; output: Histogram }
  rows: { input: { indices: readonly number[] }; output: readonly Row[] }
  /** Of the open run unless `run` says otherwise; fails with a sentence where there is no second run. */
  trajectory: { input: RolloutOf; output: TrajectoryDetail }
  token: { input: RolloutOf & { token: number }; output: TokenDetail }
  /** What is known of a check, as docs/checks has it; null where there is none of that code. Needs nothing open. */
  checkPage: { input: { code: string }; output: CheckPage | null }
  /** Report order index of the trajectory a finding points at. */
  locate: { input: { source: number; record: number; part: number }; output: { index: number } }
  /** Adds a tokenizer dropped by a person. `tokenizer` and `config` are the texts of the two JSON files. */
  addTokenizer: { input: { name: string; tokenizer: string; config: string | null }; output: { id: string } }
  close: { input: Record<string, never>; output: Record<string, never> }
}

export type RequestName = keyof EngineRequests

/** What a request tells before its answer; nothing for most. */
export type PartialOf<Name extends RequestName> = EngineRequests[Name] extends { partial: infer Partial }
  ? Partial
  : never

export type SourceInput =
  | { readonly kind: 'file'; readonly name: string; readonly file: unknown }
  | {
      readonly kind: 'url'
      readonly name: string
      readonly url: string
      readonly size: number
      /** The folder that was opened with all that is in it, as names begin (`steps/`, or nothing for all that is served): what comes there belongs to the run. */
      readonly folder?: string
    }
  | { readonly kind: 'bytes'; readonly name: string; readonly bytes: Uint8Array }

export interface OpenedDump {
  readonly report: Report
  /** One sentence per source that could not be read, with what to do. `code` is `unknown-format` where its fields may be mapped. */
  readonly unreadable: readonly { readonly name: string; readonly code: string; readonly message: string }[]
  /** Hash that names this dump in links and in what people keep. Over names-independent content: SHA-256 of the first MiB and the size of each source. */
  readonly dumpHash: string
}

/** What a person needs to say where the fields of a file of no known format stand. */
export interface FieldProposal {
  /** Names the shape of its records: the same for all with the same keys at their top. */
  readonly shape: string
  /** Of its first record. */
  readonly paths: readonly RecordPath[]
  /** Null where neither ids nor a conversation were found. */
  readonly proposal: FieldMapping | null
  /** Null where the mapping is empty or reads none of the first records. */
  readonly first: MappedRollout | null
  /** Why records were not read under the mapping, or what of the first was left out. */
  readonly problems: readonly string[]
}

/** A rollout that a mapping reads, as far as it tells whether the mapping is right. Null is absent. */
export interface MappedRollout {
  readonly tokens: number | null
  readonly trained: number | null
  readonly messages: number | null
  readonly reward: number | null
  readonly group: string | null
  readonly step: number | null
  readonly tokenizer: string | null
  /** Its first tokens, and where nothing of these is trained those around the first that is. `text` is null without a tokenizer. */
  readonly excerpts: readonly {
    readonly from: number
    readonly tokens: readonly { readonly id: number; readonly text: string | null; readonly trained: boolean }[]
  }[]
}

/** The open run's report beside a second run, and what that one is. */
export interface Comparison {
  readonly report: Report
  readonly second: ComparedRun | null
}

export interface ComparedRun {
  /** As `OpenedDump.dumpHash`. */
  readonly dumpHash: string
  readonly rollouts: number
  readonly sources: Report['sources']
  readonly tokenizer: Report['tokenizer']['id']
  readonly unreadable: OpenedDump['unreadable']
  /** What is wrong in it, for the order of its findings. */
  readonly causes: CauseOrder
}

/** Page to engine. */
export type EngineCall =
  | { readonly kind: 'call'; readonly call: number; readonly name: RequestName; readonly input: unknown }
  | { readonly kind: 'cancel'; readonly call: number }

/**
 * Engine to page. `began` for `open`, `reconfigure` and `follow` as soon as they put something in the place of what was open: no `progress` of
 * that comes any more. A `progress` after `open` until `done`; `partial`s of a call only before its answer, and before these the `share` (0 to 1) that is done of what the answer rests on: verdicts, groups, pairs; `failed` carries a sentence, never a stack. `slower` at any time: what is read takes
 * longer from now on, and why. */
export type EngineAnswer =
  | { readonly kind: 'answer'; readonly call: number; readonly output: unknown }
  | { readonly kind: 'failed'; readonly call: number; readonly message: string }
  | { readonly kind: 'partial'; readonly call: number; readonly partial: unknown }
  | { readonly kind: 'share'; readonly call: number; readonly share: number }
  | { readonly kind: 'began'; readonly call: number }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'slower'; readonly sentence: string }
