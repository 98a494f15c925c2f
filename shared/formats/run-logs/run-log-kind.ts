import type { RunLog } from '../../model/run-log.ts'
import type { ByteSource } from '../../model/source.ts'

/** The beginning of a file that holds no rollouts. */
export interface LogHead {
  readonly bytes: Uint8Array
  /** Decoded; null where it is no text. */
  readonly text: string | null
  /** `bytes` are the whole file. */
  readonly whole: boolean
}

/** One kind of log file. One file, one line in `registry.ts`, one fixture. */
export interface RunLogKind {
  readonly id: string
  readonly title: string
  /** What was seen, for people; null where the file is something else. */
  recognise(head: LogHead): string | null
  /** Null where the file turns out to hold no number by step. Throws what the source throws. */
  read(source: ByteSource, evidence: string, signal?: AbortSignal): Promise<RunLog | null>
}

/** A file that must be held whole to be read (one JSON value, a table) is refused above this. */
export const MOST_BYTES = 512 << 20
