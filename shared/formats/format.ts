import type { JsonObject, JsonValue, RawRecord } from '../containers/container.ts'
import type { MaskAlignment, PolicyId } from '../model/policy.ts'
import type { SkippedRecord } from '../model/source.ts'
import type { Stream } from '../model/streams.ts'
import type { Trajectory } from '../model/trajectory.ts'
import type { FieldMapping } from './mapping.ts'
import type { SourceRun } from './run-metadata/run-facts.ts'

/** The first records of a source, parsed. Formats decide by these alone; a name may be wrong. */
export interface Sample {
  readonly records: readonly JsonValue[]
  /** What the container says about all of its records (the key-value metadata of Parquet and Arrow), absent where nothing. */
  readonly metadata?: JsonObject | null
}

export interface Recognition {
  /** 0 to 1. */
  readonly confidence: number
  /** What was seen, for people: `keys token_loss_mask, sample_loss_mask`. */
  readonly evidence: readonly string[]
  readonly version: string | null
  /** Ids of formats that are as sure of the records as the one that reads them, that one first; absent where none is. */
  readonly rivals?: readonly string[]
  /** Id of the format that a person named for all files, where these records are not of it. */
  readonly isNot?: string
  /** A mapping that a person gave and that is not used: these records are of a trainer's format, or have nothing at its paths. */
  readonly unusedMapping?: FieldMapping
  /** Where a person said the fields of the native format stand; present only in records that are read by it. */
  readonly mapping?: FieldMapping
  /** Where a person said some fields of native records stand; all others are where the native format has them. Never beside `mapping`. */
  readonly fieldMapping?: FieldMapping
  /** The `prompt_mask` of the first records leaves out padding alone: in all of them it says what is attended. Absent where none does. */
  readonly attendsPrompts?: true
  /** Columns of scores, where there are several; absent in formats that store the reward. */
  readonly scores?: readonly string[]
  /** Those whose sum is the reward, as the stored advantages show, or the one that a person named; absent where neither tells. */
  readonly rewardOf?: readonly string[]
  /** Those of them that are the same in all first records, and what they are: their weight does not show, and a row where one is another has no reward. */
  readonly sameScores?: readonly (readonly [name: string, score: number])[]
}

/** What importers may know about the run beside their records. */
export interface ReadContext {
  readonly source: number
  readonly recognition: Recognition
  /** As in `Sample`. */
  readonly metadata?: JsonObject | null
  /** Records of other sources of the run, by the key that they share with the records of this one; absent where nothing was joined. */
  readonly joined?: ReadonlyMap<string, readonly JsonObject[]> | null
  /** What the name of the source and the files beside it say of the run; rollouts get it once they are read. */
  readonly run?: SourceRun
}

export interface ReadResult {
  readonly trajectories: Trajectory[]
  readonly skipped: SkippedRecord[]
  /** Names of fields this format does not know, with how many records of the batch carry them, the first of these, and the first that does not. */
  readonly unknownFields: ReadonlyMap<string, FieldRecords>
}

export interface FieldRecords {
  readonly records: number
  readonly first: number
  /** Null where all do. */
  readonly without: number | null
}

/** How what a format's files hold is found again in files that hold more of the same. */
export type FormatJoin = RolloutJoin | RecordJoin

interface Join {
  /** What they are found by, for people: `sample index`. Files are joined with those of formats that name the same. */
  readonly on: string
  /**
   * Whether a file adds to what others hold, as what a trainer wrote adds to what was generated. Else its rollouts are those that are told.
   * @param name of the file, for runs that keep the same records in several folders
   */
  adds(recognition: Recognition, name: string): boolean
}

/** Both files have the whole rollout, each with streams of its own. A mask of the file that adds is the one that the loss used. */
export interface RolloutJoin extends Join {
  readonly kind: 'rollouts'
  /** The same for one rollout in every file, null where it has none. Rollouts are joined only where their ids and steps are the same as well. */
  key(trajectory: Trajectory): string | null
  /** Whether a rollout only fills up a batch, as a copy of another one: it is told with that one and adds nothing. Absent where none does. */
  fills?(trajectory: Trajectory): boolean
}

/** The file that adds has records about those of the others, which read them: `ReadContext.joined`. */
export interface RecordJoin extends Join {
  readonly kind: 'records'
  /** What a record holds, and what a record that adds is about. */
  keys(record: JsonObject): readonly string[]
}

/** A trainer's (and era's) file layout. One file, one line in `registry.ts`, one fixture. */
export interface Format {
  /** As it appears in reports; never changes. */
  readonly id: string
  readonly title: string
  /** Where the layout was read from. */
  readonly writer: { readonly project: string; readonly file: string; readonly version: string }
  /** Streams that this format can fill. */
  readonly streams: readonly Stream[]
  /** Keys, at any depth, whose arrays of numbers are scanned straight into typed arrays. */
  readonly numericKeys: readonly string[]
  /** The policy that the writer's own code documents, or null. */
  readonly policy: { readonly id: PolicyId; readonly evidence: string } | null
  /** How the writer aligns masks; null where the file does not settle it (then `auto` may ask the person). */
  readonly maskAlignment: MaskAlignment | null
  /** The value that sampler logprobs hold on tokens that were not sampled, where the writer documents one. */
  readonly unsampledLogprob: number | 'nan' | null
  /** `all`: the writer documents that the trainer trains exactly the sampled tokens, so a missing mask is filled. */
  readonly maskImplied: boolean
  /** How consecutive rows form groups when no row carries a key: `rows` = `group_size` consecutive rows. */
  readonly groupsByOrder: boolean
  /** A key of a group is used once in a run, and its rollouts may be of several steps. Absent where a later step may use a key again. */
  readonly groupsSpanSteps?: true
  /** Each rollout has a file of its own, so that those of a group stand in several files of one folder. Absent where a file holds whole groups. */
  readonly groupsSpanFiles?: true
  /** Its limits are the widths of padded columns, which some other step may have trimmed. Absent where a file names its limits. */
  readonly limitsAreWidths?: true
  /** Absent where a file of this format holds all that there is of its rollouts. */
  readonly joins?: readonly FormatJoin[]
  recognise(sample: Sample): Recognition | null
  /** A record may hold many trajectories (`part` counts them); a bad record is skipped and costs no neighbour. */
  read(records: readonly RawRecord[], context: ReadContext): ReadResult
}
