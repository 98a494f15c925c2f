import type { ByteSource, Place, SkippedRecord } from '../model/source.ts'
import type { Stream } from '../model/streams.ts'
import type { EncodedRecords, RecordsElsewhere } from './decode.ts'

/**
 * Where consecutive records lie, in columns. Offsets and lengths are bytes of the *decompressed* container;
 * `lines` are 1-based and 0 where the container has no lines. A record without bytes of its own (a row of columns)
 * has the offset of the row group or batch that holds it, and the length 0.
 */
export interface RecordSpans {
  /** Number of the first record, 0-based in its container. */
  readonly first: number
  readonly lines: Float64Array
  readonly offsets: Float64Array
  readonly lengths: Float64Array
  /**
   * The record of this batch (its last, numbered from 0 within the batch) from which on the container could not be read: a
   * gzip stream that ends early, a JSON array that breaks off. `decodeRecords` lists it as skipped, with this reason.
   */
  readonly damaged?: { readonly index: number; readonly code: string; readonly message: string }
}

/**
 * JSON as this program reads it: bare NaN and ±Infinity are numbers, and arrays under a key that the caller
 * named numeric are typed arrays (`Int32Array` when every element is a 32-bit integer or boolean, else `Float64Array` with
 * null read as NaN). A named array that holds anything else stays a plain array; a named list of lists is a plain array of typed arrays.
 */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject | Int32Array | Float64Array
export interface JsonObject {
  [key: string]: JsonValue
}

/** One record, decoded, with its place. */
export interface RawRecord {
  readonly record: number
  readonly line: number | null
  readonly byte: number
  readonly length: number
  /** 16 hex digits over the record's bytes; over its decoded value (`hashValue`) where it has no bytes of its own. */
  readonly hash: string
  readonly value: JsonValue
}

/** Where the records of text begin that were not read yet: right behind the last one that was. */
export interface ReadPosition {
  /** Offset of the first byte that was not read. */
  readonly byte: number
  /** Number of the next record, and of the line (1-based) that `byte` is in. */
  readonly record: number
  readonly line: number
}

export interface Container {
  /** As in the report: `jsonl`, `json`, `jsonl+gzip`, `parquet`. */
  readonly id: string
  readonly source: ByteSource
  /** What the container says about all of its records (the key-value metadata of Parquet and Arrow), null where nothing. */
  readonly metadata: JsonObject | null
  /** What was read another way than its writer may expect, in words: calls in a pickle that were not made. */
  readonly notes?: readonly string[]
  /**
   * Finds record boundaries in order, without parsing them; batches of at most `batchBytes` (a larger record alone). The
   * first holds at most `firstBatchBytes`, and each may hold twice what the one before it might. `from`, which JSONL alone heeds: records
   * before it were found already.
   */
  index(options?: {
    readonly from?: ReadPosition
    readonly batchBytes?: number
    readonly firstBatchBytes?: number
    readonly signal?: AbortSignal
    readonly onBytes?: (compressedBytesRead: number) => void
    /** Told all bytes of the source, in order, where `givesChunks`. They stand until it returns. */
    readonly onChunk?: (start: number, chunk: Uint8Array) => void
    /** The records are not going to be read here: their workers do it (`refer`). */
    readonly passing?: boolean
  }): AsyncIterable<RecordSpans>
  /** Whether `index` tells `onChunk`. */
  readonly givesChunks?: boolean
  /** Where another thread finds the lines that `index` would tell of: `ByteSource.elsewhere`. Absent where it cannot, or where there is more to it. */
  readonly linesElsewhere?: unknown
  /** In place of `read`: where an audit worker finds the records. Absent where it cannot. */
  refer?(spans: RecordSpans): RecordsElsewhere
  /** The records of `spans` (a batch of `index`, or a part of one) as they are stored, to be handed to `decodeRecords`. Where finding them may take long, `signal` ends it. */
  read(spans: RecordSpans, signal?: AbortSignal): Promise<EncodedRecords>
}

/** What `decodeRecords` gives: good records and bad ones, neither costing the other. */
export interface ParsedRecords {
  readonly records: RawRecord[]
  readonly skipped: SkippedRecord[]
  /** Absent where the source stands by itself. */
  readonly joined?: JoinedRecords
  /** In place of the records, where all that can be asked of them was found before. */
  readonly told?: ToldRecords
}

/**
 * What of records is not as their format has it, in words, with how many records it stands in, where the first of these begins, and, where it is known, one
 * of the others.
 */
export type RecordDrift = readonly [what: string, records: number, first: RecordPlace, other?: RecordPlace]

/** Where a record begins; `line` from 1, null where the source has no lines. */
export type RecordPlace = Pick<SkippedRecord, 'record' | 'line' | 'byte'>

/** What was found of records when their source was joined with others, with whose rollouts all of theirs are told. */
export interface ToldRecords {
  /** How many records are good. */
  readonly records: number
  readonly skipped: readonly SkippedRecord[]
  readonly drift: readonly RecordDrift[]
  /** What their rollouts carry, whatever the tokenizer. */
  readonly streams: readonly Stream[]
}

/** What other sources have to do with some records: several files may each hold a part of what is known of a rollout. */
export interface JoinedRecords {
  /** Records of other sources, by their numbers, that hold more of the rollouts of these, and by what they were found. */
  readonly beside: readonly { readonly source: number; readonly by: string; readonly records: readonly RawRecord[] }[]
  /** Trajectories of these records that are told with those of another source: their parts by record. */
  readonly told: ReadonlyMap<number, readonly number[]>
  /** Which of the trajectories beside them is which of these, by record. */
  readonly pairs: ReadonlyMap<number, readonly RolloutPair[]>
}

/** A part of a record, and the same rollout in another source. */
export interface RolloutPair {
  readonly part: number
  readonly other: Place
}

/** A file that cannot be opened at all. `message` is one sentence that says what is wrong and what to do. */
export class UnreadableSource extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.name = 'UnreadableSource'
    this.code = code
  }
}
