import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Report } from '../../shared/model/report.ts'
import type { WatchedFile } from '../../shared/session/following/followed-file.ts'
import { Session } from '../../shared/session/session.ts'
import { memorySource } from '../containers/memory-source.ts'
import { audited, cleanRollout, lines, qwen, rolloutWithTrainedReply } from './dumps.ts'
import { testHost } from './test-host.ts'

/** A file at one moment. `identity` is its name unless said. */
export interface FileThen {
  readonly name: string
  readonly bytes: Uint8Array | string
  readonly identity?: string | null
  readonly quiet?: boolean
}

export interface Followed {
  readonly session: Session
  readonly report: Report
  readonly notices: readonly string[]
  /** Bytes that were asked for, by name. */
  readonly read: ReadonlyMap<string, number>
}

/** Follows a run through moments, each of which is seen in one look, and ends with the last. */
export async function followed(
  moments: readonly (readonly FileThen[])[],
  options: AuditOptions = {},
  host = testHost(),
  /** What the disk does before each read: it may take its time, or throw. `look` counts the looks from 1. */
  disk: (look: number) => Promise<void> = async () => {},
  onRead: (name: string) => void = () => {},
): Promise<Followed> {
  const until = new AbortController()
  const notices: string[] = []
  const read = new Map<string, number>()
  let look = 0
  const session = await Session.open([], options, host, {
    onProgress: () => {},
    follow: {
      every: 0,
      until: until.signal,
      onNotice: (notice) => notices.push(notice),
      async look() {
        const files = moments[Math.min(look++, moments.length - 1)] ?? []
        if (look >= moments.length) until.abort()
        return files.map((file) =>
          watched(file, read, () => {
            onRead(file.name)
            return disk(look)
          }),
        )
      },
    },
  })
  await session.done
  return { session, report: session.report(), notices, read }
}

function watched(
  { name, bytes, identity = name, quiet = true }: FileThen,
  read: Map<string, number>,
  disk: () => Promise<void>,
): WatchedFile {
  const source = memorySource(bytes, 1 << 16, name)
  const counted = async (start: number, end: number) => {
    await disk()
    const got = await source.slice(start, end)
    read.set(name, (read.get(name) ?? 0) + got.length)
    return got
  }
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1')
  return { source: { ...source, slice: counted }, identity, stamp: text, quiet }
}

/** The report of reading files at once, as following gives it: without the hashes of files that may still grow. */
export async function atOnce(files: readonly FileThen[], options: AuditOptions = {}): Promise<Report> {
  const session = await audited(
    files.map(({ name, bytes }) => memorySource(bytes, 1 << 16, name)),
    options,
  )
  const report = session.report()
  return { ...report, sources: report.sources.map((source) => ({ ...source, sha256: null })) }
}

/** Lines of rollouts in groups of two, of which some are faulty. */
export async function pairedRollouts(count: number): Promise<string[]> {
  const tokenizer = await qwen()
  return Array.from({ length: count }, (_, seed) => {
    const make = seed % 7 === 3 ? rolloutWithTrainedReply : cleanRollout
    return lines([make(tokenizer, seed, { group: String(seed >> 1), groupSize: 2, reward: seed % 2 })])
  })
}

/** One file that grows to so many bytes, one after the other. */
export function growing(whole: Uint8Array, sizes: readonly number[], name = 'run.jsonl'): FileThen[][] {
  return [...sizes, whole.length].map((size) => [{ name, bytes: whole.subarray(0, size) }])
}
