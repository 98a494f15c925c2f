import type { ParsedRecords, RecordSpans } from './container.ts'
import { parseRecords } from './records.ts'

/** JSON text: `bytes` is one range, from the first record of `spans` to the end of its last. */
export interface EncodedJson {
  readonly decoder: 'json'
  readonly spans: RecordSpans
  readonly bytes: readonly [Uint8Array]
}

/**
 * Records as their container stores them, with all that is needed to decode them in another thread. Structured-cloneable;
 * every entry of `bytes` fills a buffer of its own, which may be transferred.
 */
export type EncodedRecords = EncodedJson

/**
 * Decodes records that `Container.read` gave, in any thread. Never throws for what the bytes hold: each record ends up in
 * `records` or in `skipped`. Decoders other than JSON are loaded when the first of their records comes.
 */
export function decodeRecords(
  encoded: EncodedRecords,
  numericKeys: ReadonlySet<string>,
): ParsedRecords | Promise<ParsedRecords> {
  return parseRecords(encoded.bytes[0], encoded.spans, numericKeys)
}

/** The bytes of the records where these are text, null where a record has no text of its own. */
export function textOf(encoded: EncodedRecords): Uint8Array | null {
  return encoded.decoder === 'json' ? encoded.bytes[0] : null
}
