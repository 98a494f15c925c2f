import type { RunLog } from '../../model/run-log.ts'
import type { ByteSource } from '../../model/source.ts'
import { console_ } from './console.ts'
import { metricLines } from './metric-lines.ts'
import type { LogHead, RunLogKind } from './run-log-kind.ts'
import { table } from './table.ts'
import { tensorboard } from './tensorboard.ts'
import { trainerState } from './trainer-state.ts'

/** Every kind, the surest first: a text that is nothing else may still be what a training printed. */
export const RUN_LOGS: readonly RunLogKind[] = [tensorboard, trainerState, metricLines, table, console_]

const HEAD_BYTES = 1 << 16

/** The log that a file holds; null where it is none. For files that hold no rollouts, once they are decompressed. */
export async function readRunLog(source: ByteSource, signal?: AbortSignal): Promise<RunLog | null> {
  const bytes = await source.slice(0, HEAD_BYTES)
  const head: LogHead = { bytes, text: textOf(bytes), whole: source.size <= HEAD_BYTES }
  for (const kind of RUN_LOGS) {
    const evidence = kind.recognise(head)
    if (evidence === null) continue
    const log = await kind.read(source, evidence, signal)
    if (log !== null) return log
  }
  return null
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  const text = new TextDecoder().decode(bytes)
  // The head may end within a character.
  return text.slice(0, -1).includes('\ufffd') ? null : text
}
