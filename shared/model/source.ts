/**
 * Bytes that can be read from anywhere: a `File` in a browser, a file handle in Node, a ranged fetch
 * against the desktop app or `serve`. Nothing in `shared/` opens a file by itself.
 */
export interface ByteSource {
  /** Base name or path relative to the folder that was opened; shown to people, never used to decide a format. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Bytes `start` (inclusive) to `end` (exclusive, clamped to `size`). */
  slice(start: number, end: number): Promise<Uint8Array>
  /** The bytes from `start` (default 0) to the end, in chunks of the host's choosing. */
  stream(start?: number): ReadableStream<Uint8Array>
  /** As `stream`, into memory that is used again. Absent where a host has only streams. */
  reader?(start?: number): ByteReader
  /** By what the host's audit workers open the same bytes; structured-cloneable. Absent where only this thread can read them. */
  readonly elsewhere?: unknown
  /** Its bytes may come from another machine: nobody reads them a second time only because that is simpler. */
  readonly isFar?: true
  /** Bytes of the compressed file that these came out of, the outermost where one lies in another; absent where they were not compressed. */
  readonly packedIn?: number
}

/** Reads from front to back. */
export interface ByteReader {
  /** The next bytes, which stand until the next ones are asked for; null at the end. */
  next(): Promise<Uint8Array | null>
  close(): Promise<void>
}

/** A trajectory's address: the `part`-th trajectory of the `record`-th record of the `source`-th source, all 0-based. */
export interface Place {
  readonly source: number
  readonly record: number
  readonly part: number
}

/** A record that could not be read. `byte` and `line` are where it starts, `line` is 1-based and null in containers without lines. */
export interface SkippedRecord {
  readonly record: number
  readonly line: number | null
  readonly byte: number
  /** Stable, machine-readable reason, such as `bad-json` or `not-an-object`. */
  readonly code: string
  readonly message: string
  /** The key of the group that the record names, which lacks it; absent where it names none. */
  readonly group?: string
}
