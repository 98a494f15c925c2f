import type { EncodedArrow } from './arrow/decode.ts'
import type { JoinedRecords, JsonValue, ParsedRecords, RecordSpans, ToldRecords } from './container.ts'
import type { Kernel } from './kernel/kernel.ts'
import type { EncodedMsgpack } from './msgpack/decode.ts'
import type { EncodedParquet } from './parquet/decode.ts'
import { parseRecords, parseTexts } from './records.ts'
import { rowRecords, valueRecords } from './row-records.ts'
import type { ScannedText } from './scan-ahead.ts'

/** JSON text: `bytes` is one range, from the first record of `spans` to the end of its last. */
export interface EncodedJson {
  readonly decoder: 'json'
  readonly spans: RecordSpans
  readonly bytes: readonly [Uint8Array]
}

/** Records that their container could not even take from the file: all are listed as skipped, with this reason. */
export interface EncodedFailure {
  readonly decoder: 'none'
  readonly spans: RecordSpans
  readonly bytes: readonly []
  readonly code: string
  readonly message: string
}

/** JSON texts that do not stand in a row: `bytes` has one for each record, or what is wrong with it stands in `failures`. */
export interface EncodedTexts {
  readonly decoder: 'texts'
  readonly spans: RecordSpans
  readonly bytes: readonly Uint8Array[]
  readonly failures: readonly (Failure | null)[]
}

/** Records that could only be decoded where their container is open. */
export interface EncodedValues {
  readonly decoder: 'values'
  readonly spans: RecordSpans
  readonly bytes: readonly []
  readonly values: readonly ({ readonly value: JsonValue } | Failure)[]
}

/** Records with those of other sources that were joined to them. `bytes` are those of all of them. */
export interface EncodedJoined {
  readonly decoder: 'joined'
  readonly spans: RecordSpans
  readonly bytes: readonly Uint8Array[]
  readonly own: EncodedRecords
  readonly beside: readonly { readonly source: number; readonly by: string; readonly records: EncodedRecords }[]
  readonly told: JoinedRecords['told']
  readonly pairs: JoinedRecords['pairs']
}

/** Records that need not be decoded again: all of their rollouts are told with those of other sources. */
export interface EncodedTold {
  readonly decoder: 'told'
  readonly spans: RecordSpans
  readonly bytes: readonly []
  readonly told: ToldRecords
}

/** JSON text that a worker reads for itself. */
export interface RecordsElsewhere {
  readonly decoder: 'elsewhere'
  readonly spans: RecordSpans
  readonly bytes: readonly []
  /** `ByteSource.elsewhere` */
  readonly source: unknown
}

/** JSON text of which another thread scanned the numbers, in memory that this thread shares with it. It cannot be handed to a third. */
export interface RecordsScanned {
  readonly decoder: 'scanned'
  readonly spans: RecordSpans
  readonly bytes: readonly []
  readonly text: ScannedText
  /** Over the memory that it lies in. */
  readonly kernel: Kernel
  /** The text is not needed any more. */
  done(): void
}

/** Why a record cannot be read, as in `SkippedRecord`. */
export interface Failure {
  readonly code: string
  readonly message: string
}

/**
 * Records as their container stores them, with all that is needed to decode them in another thread. Structured-cloneable;
 * every entry of `bytes` fills a buffer of its own, which may be transferred.
 */
export type EncodedRecords =
  | EncodedJson
  | EncodedTexts
  | EncodedParquet
  | EncodedArrow
  | EncodedMsgpack
  | EncodedValues
  | EncodedJoined
  | EncodedTold
  | EncodedFailure

/**
 * Decodes records that `Container.read` gave, in any thread. Never throws for what the bytes hold: each record ends up in
 * `records` or in `skipped`. Decoders other than JSON are loaded when the first of their records comes.
 */
export function decodeRecords(
  encoded: EncodedRecords,
  numericKeys: ReadonlySet<string>,
): ParsedRecords | Promise<ParsedRecords> {
  switch (encoded.decoder) {
    case 'json':
      return parseRecords(encoded.bytes[0], encoded.spans, numericKeys)
    case 'texts':
      return parseTexts(encoded, numericKeys)
    case 'values':
      return valueRecords(encoded)
    case 'parquet':
      return import('./parquet/decode.ts').then(({ decodeParquet }) => decodeParquet(encoded))
    case 'arrow':
      return import('./arrow/decode.ts').then(({ decodeArrow }) => decodeArrow(encoded))
    case 'msgpack':
      return import('./msgpack/decode.ts').then(({ decodeMsgpack }) => decodeMsgpack(encoded))
    case 'joined':
      return decodeJoined(encoded, numericKeys)
    case 'told':
      return { records: [], skipped: [], told: encoded.told }
    case 'none':
      return rowRecords(encoded.spans, encoded.code, () => {
        throw new Error(encoded.message)
      })
  }
}

/** What of the other sources cannot be read is said where they are read for themselves. */
async function decodeJoined(
  { own, beside, told, pairs }: EncodedJoined,
  numericKeys: ReadonlySet<string>,
): Promise<ParsedRecords> {
  const parsed = await decodeRecords(own, numericKeys)
  const others: JoinedRecords['beside'][number][] = []
  for (const { source, by, records } of beside) {
    others.push({ source, by, records: (await decodeRecords(records, numericKeys)).records })
  }
  return { ...parsed, joined: { beside: others, told, pairs } }
}

/** The bytes of the records where these are text, null where a record has no text of its own. */
export function textOf(encoded: EncodedRecords): Uint8Array | null {
  return encoded.decoder === 'json' || encoded.decoder === 'texts' ? (encoded.bytes[0] ?? null) : null
}

/** The text of one of several records, by its number among them; null where it has none. */
export function textAt(encoded: EncodedRecords, at: number): Uint8Array | null {
  const { offsets, lengths } = encoded.spans
  const length = lengths[at] as number
  if (encoded.decoder === 'texts') return encoded.bytes[at]?.subarray(0, length) ?? null
  if (encoded.decoder !== 'json') return null
  const start = (offsets[at] as number) - (offsets[0] as number)
  return encoded.bytes[0].subarray(start, start + length)
}
