import { create } from 'zustand'
import type { AuditOptions } from '../../shared/model/policy.ts'
import type { Report } from '../../shared/model/report.ts'
import type { Stream } from '../../shared/model/streams.ts'
import type { OpenedDump, Progress, SourceInput } from '../../shared/session/protocol.ts'

/** `opening`: the engine looks at the first records. `reading`: rollouts can be opened, more are to come. */
export type Phase = 'empty' | 'opening' | 'reading' | 'open'

export interface FilesState {
  readonly phase: Phase
  readonly sources: readonly SourceInput[]
  readonly options: AuditOptions
  /** Files of the dataset that the run was started with; none where none was given. */
  readonly dataset: readonly SourceInput[]
  readonly dumpHash: string | null
  readonly unreadable: OpenedDump['unreadable']
  /** The latest report; final once `phase` is `open`. */
  readonly report: Report | null
  readonly progress: Progress | null
  /** The files are read on as they grow; `phase` stays `reading`. */
  readonly following: boolean
  /** All is judged, and what the files hash to is still to come. */
  readonly hashing: boolean
  /** A person did not wait for the verdicts on all that was read: `report` may be of a part. */
  readonly judgingStopped: boolean
  /** Why verdicts on all that is there could not be drawn, in a sentence; `report` is of what came before. Null where nothing kept them. */
  readonly readingFailed: string | null
  /** Bytes per second, smoothed. */
  readonly rate: number | null
  /** Rows known so far. */
  readonly rollouts: number
  /** Grows whenever rows or codes may have changed, so that queries are asked again. */
  readonly revision: number
  /** Sentences about what went wrong, newest last; shown until dismissed. */
  readonly problems: readonly string[]
  /** The one of `problems` that tells of the first fault of a run that is followed; null as long as none is known to stand in its files. */
  readonly fault: { readonly sentence: string; readonly code: string } | null
  /** Sentences about what happened to files that are followed, which is no fault, newest last; shown until dismissed. */
  readonly happened: readonly string[]
}

const NOTHING_OPEN: Omit<FilesState, 'revision'> = {
  phase: 'empty',
  sources: [],
  options: {},
  dataset: [],
  dumpHash: null,
  unreadable: [],
  report: null,
  progress: null,
  following: false,
  hashing: false,
  judgingStopped: false,
  readingFailed: null,
  rate: null,
  rollouts: 0,
  problems: [],
  fault: null,
  happened: [],
}

export const useFiles = create<FilesState>()(() => ({ ...NOTHING_OPEN, revision: 0 }))

/** Nothing is open any more, but for what is given. Sentences about what went wrong stay, and no revision comes twice: an answer about one dump is never taken for one about the next. */
export function openNothing(but: Partial<Omit<FilesState, 'revision'>> = {}): void {
  useFiles.setState(({ problems, revision }) => ({ ...NOTHING_OPEN, problems, ...but, revision: revision + 1 }))
}

export function addProblem(sentence: string): void {
  useFiles.setState(({ problems }) => ({ problems: [...problems.filter((known) => known !== sentence), sentence] }))
}

export function addHappened(sentence: string): void {
  useFiles.setState(({ happened }) => ({ happened: [...happened.filter((known) => known !== sentence), sentence] }))
}

/** What went wrong before is no longer of interest when a person opens something else. */
export function dismissAllProblems(): void {
  useFiles.setState({ problems: [], happened: [] })
}

export function dismissProblem(sentence: string): void {
  useFiles.setState(({ problems, happened }) => ({
    problems: problems.filter((known) => known !== sentence),
    happened: happened.filter((known) => known !== sentence),
  }))
}

/** No file of the dump has the stream. */
export function isLackingIn(report: Report | null, stream: Stream | null): boolean {
  if (stream === null || report === null || report.sources.length === 0) return false
  return report.sources.every(({ missing, format }) => format === null || missing.includes(stream))
}
