import type { AuditSettings } from '../../checks/check.ts'
import type { RecordSpans } from '../../containers/container.ts'
import type { AuditOptions } from '../../model/policy.ts'
import type { LogReport } from '../../model/report.ts'
import type { ByteSource } from '../../model/source.ts'
import { orAborted, pause } from '../aborted.ts'
import type { AuditRuntime } from '../audit/batch.ts'
import { Collected } from '../audit/collected.ts'
import { collectedTogether, renumber } from '../audit/collected-run.ts'
import { runPass } from '../audit/pass.ts'
import type { SourcePlan, TokenizerReference } from '../audit/plan.ts'
import { auditingPool, startWorkers, workerPool } from '../audit/pool.ts'
import { DEFAULT_MAX_FINDINGS } from '../concluding/conclude.ts'
import type { EngineHost } from '../host.ts'
import { joinSources } from '../opening/join-sources.ts'
import { hasWholeSample, type OpenSource, type UnreadableFile } from '../opening/open-source.ts'
import { inTheirRun } from '../opening/run-context.ts'
import { type Survey, surveySource } from '../opening/survey.ts'
import { type SurveyedSource, surveyTogether } from '../opening/survey-together.ts'
import type { Reading } from '../reading.ts'
import { sentence } from '../sentence.ts'
import { FollowedFile, type FollowedSource, positionOf, type WatchedFile } from './followed-file.ts'
import { HeldFiles } from './held-files.ts'
import { matchedFiles } from './matched-files.ts'

/** A run that is being written, and how long it is followed. */
export interface Following {
  /** The files as they are now, in the order of the report. */
  look(): Promise<readonly WatchedFile[]>
  /** Ends following: what stands there by then is read, and the report is final. */
  readonly until: AbortSignal
  /** Ends it at once: what was audited by then is the run. */
  readonly atOnce?: AbortSignal
  /** Milliseconds between two looks, at least; default 500. */
  readonly every?: number
  /** Something unusual happened to a file, in a sentence. */
  onNotice?(notice: string): void
  /** A file holds something else than what was read of it: what was found in it may be found again. */
  onAnew?(): void
  /** The files were looked at and read as far as they go; whether anything was read. */
  onRound?(read: boolean): void
}

const LOOK_EVERY = 500
const NEVER = new AbortController().signal
/** What is decided of a kin may hang on what was decided before, at most so often. */
const MOST_DECISIONS = 4

/**
 * Reads a run on while it is being written. What is added to a file of lines is read from where reading stopped; a file of another kind is read
 * when it is whole. Whatever order things come in, the result is that of reading the files at once (decision 9).
 */
export class Follower implements Reading {
  opened: readonly OpenSource[] = []
  survey!: Survey
  runtime!: AuditRuntime
  /** The files as they were at first, those too that can be read only once they are whole. */
  begunWith: readonly ByteSource[] = []
  unreadable: readonly UnreadableFile[] = []
  private files: FollowedFile[] = []
  private sourcesNow: readonly FollowedSource[] = []
  /** By source, what it is to be read under. */
  private under: readonly string[] = []
  private together: Collected | null = null
  private version = 0
  rearranged = 0
  private failedBefore: string | null = null
  private readonly held = new HeldFiles()
  /** Files came or changed, and could not be read to decide what they are read under. */
  private undecided = false

  constructor(
    private readonly following: Following,
    private readonly options: AuditOptions,
    private readonly host: EngineHost,
    private readonly added: readonly TokenizerReference[],
  ) {}

  get logs(): readonly LogReport[] {
    return this.files.flatMap(({ beside }) => beside.logs)
  }

  get collected(): Collected {
    if (this.together === null) {
      const { maxFindings = DEFAULT_MAX_FINDINGS } = this.options
      this.together = collectedTogether(
        this.sourcesNow.map(({ collected }) => collected),
        maxFindings,
      )
      this.together.version = this.version
    }
    return this.together
  }

  soFar(): ReturnType<Reading['soFar']> {
    const parts = this.sourcesNow.map(({ collected }) => collected)
    return {
      sources: parts.flatMap(({ sources }) => sources),
      rollouts: parts.reduce((sum, { facts }) => sum + facts.length, 0),
    }
  }

  /** Opens what is there by now, without reading it. */
  async open(signal: AbortSignal): Promise<void> {
    await this.lookAround(false, signal)
  }

  /**
   * Reads on until following ends. False where it was ended before all that was written had been read. Rejects with the signal's reason, or
   * where the same cannot be read twice in a row.
   */
  async follow(signal: AbortSignal, tell: () => void): Promise<boolean> {
    return this.unlessEnded(signal, (ended) => this.readOn(ended, tell))
  }

  /** Does what takes no longer than until following is ended at once. False where it was. A disk that never answers is not waited for. */
  async unlessEnded(signal: AbortSignal, work: (ended: AbortSignal) => Promise<void>): Promise<boolean> {
    const { atOnce = NEVER } = this.following
    const done = work(AbortSignal.any([signal, atOnce])).then(() => true)
    done.catch(() => undefined)
    try {
      return await orAborted(done, atOnce)
    } catch (error) {
      if (signal.aborted || !atOnce.aborted) throw error
      return false
    }
  }

  private async readOn(signal: AbortSignal, tell: () => void): Promise<void> {
    const { until, every = LOOK_EVERY, onRound } = this.following
    for (let last = false; ; ) {
      const began = Date.now()
      const read = await this.readNew(signal, tell)
      this.held.letGo()
      onRound?.(read)
      tell()
      if (last) return
      // However long reading and judging take, as long others have their turn.
      await pause(Math.max(every, Date.now() - began), [until, signal])
      signal.throwIfAborted()
      last = until.aborted
      await this.lookAround(last, signal)
    }
  }

  /** Looks at the files, and decides under what they are read. */
  private async lookAround(last: boolean, signal: AbortSignal): Promise<void> {
    let watched: readonly WatchedFile[]
    try {
      this.held.hold()
      const looked = await this.following.look()
      watched = looked.map((file) => ({ ...file, source: this.held.of(file.source) }))
    } catch (error) {
      if (this.survey === undefined) throw error
      this.following.onNotice?.(`The files could not be looked at (${sentence(error)}); it is tried again.`)
      return
    }
    signal.throwIfAborted()
    const notices: string[] = []
    if (this.survey === undefined) this.begunWith = watched.map(({ source }) => source)
    let changed = this.survey === undefined
    const files: FollowedFile[] = []
    for (const [now, known] of await matchedFiles(watched, this.files)) {
      const file = known ?? new FollowedFile(now.source.name, now.identity, this.options)
      files.push(file)
      const examined = await file.examine(now, last, signal)
      changed ||= examined.changed
      if (examined.notice !== null) notices.push(examined.notice)
      if (examined.isAnew) this.following.onAnew?.()
      // Other files may hold more of its rollouts, or it of theirs: these are joined anew.
      changed ||= file.sources.some((source) => hasMore(source) && this.isJoined(source))
    }
    for (const file of this.files) {
      if (files.includes(file)) continue
      const { changed: isNews, notice } = file.vanish()
      changed ||= isNews
      if (notice !== null) notices.push(notice)
      // What was read of it comes last, unless it had nothing.
      if (file.sources.length + file.earlier.length > 0) files.push(file)
    }
    this.files = files
    signal.throwIfAborted()
    // A file that is still being written may not be readable yet; that is worth saying only of one that stays so.
    if (last) {
      this.unreadable = files.flatMap(({ beside }) => beside.unreadable)
      this.touch()
    }
    if (changed || this.undecided) {
      try {
        await this.decide(signal)
        this.undecided = false
      } catch (error) {
        signal.throwIfAborted()
        if (this.survey === undefined || last) throw error
        // What was decided before holds until the files can be read again.
        this.undecided = true
        notices.push(`${sentence(error)} It is tried again.`)
      }
    }
    for (const notice of notices) this.following.onNotice?.(notice)
  }

  /** Decides again, from all that is open, under what each source is read. */
  private async decide(signal: AbortSignal): Promise<void> {
    const sources = this.files.flatMap((file) => [...file.earlier, ...file.sources])
    const surveyed = await this.surveyAll(sources, signal)
    const { plan, tokenizers } = surveyed
    const joined = await joinSources(
      sources.map(({ open, over }) => (over ? { ...open, format: { ...open.format, joins: [] } } : open)),
      signal,
    )
    signal.throwIfAborted()
    this.under = plan.sources.map((planned, number) =>
      joined[number]?.joined === undefined ? planName(planned) : `joined ${this.version}`,
    )
    for (const [number, source] of sources.entries()) {
      if (source.under !== this.under[number] && !source.over) source.under = null
      const { facts } = source.collected
      if (facts.length > 0 && (source.under === null || this.sourcesNow[number] !== source)) this.rearranged++
      if (source.under === null) forget(source, this.options)
      renumber(source.collected, number)
    }
    this.sourcesNow = sources
    this.opened = joined
    this.survey = surveyed
    this.runtime = { plan, tokenizers: [...tokenizers] }
    this.touch()
  }

  private async surveyAll(sources: readonly FollowedSource[], signal: AbortSignal): Promise<Survey> {
    const descriptions = this.files.flatMap(({ beside }) => beside.descriptions)
    const { options, host } = this
    const added = this.added
    const inRun = inTheirRun(
      sources.map(({ open }) => open),
      descriptions,
    )
    for (const [i, source] of sources.entries()) {
      const { run } = inRun[i] as OpenSource
      const same = source.surveyed !== null && JSON.stringify(source.surveyed.run) === JSON.stringify(run)
      if (same || (source.over && source.surveyed !== null)) continue
      const file = this.fileOf(source)
      const open = source.surveyed === null ? source.open : await file.sampleAgain(source, signal)
      const [told] = inTheirRun([open], descriptions)
      const survey = await surveySource(told as OpenSource, options, host, added)
      if (source.growing !== null) source.settled = await hasWholeSample(source.open.container, signal)
      source.surveyed = { survey, run }
      source.open = { ...(told as OpenSource), source: source.open.source, sample: [] }
    }
    for (let decision = 1; ; decision++) {
      const named: SurveyedSource[] = sources.map(({ open, surveyed }) => ({
        open,
        survey: (surveyed as NonNullable<FollowedSource['surveyed']>).survey,
      }))
      const { survey, otherwise } = await surveyTogether(named, options, host, added)
      const stale = sources.flatMap((source, i) => {
        const kin = otherwise[i] ?? null
        return kin === null || source.over ? [] : [{ source, kin }]
      })
      if (stale.length === 0 || decision === MOST_DECISIONS) return survey
      for (const { source, kin } of stale) {
        const [told] = inTheirRun([await this.fileOf(source).sampleAgain(source, signal)], descriptions)
        const again = await surveySource(told as OpenSource, options, host, added, kin)
        source.surveyed = { survey: again, run: (told as OpenSource).run }
      }
    }
  }

  private isJoined(source: FollowedSource): boolean {
    return this.opened[this.sourcesNow.indexOf(source)]?.joined !== undefined
  }

  private fileOf(source: FollowedSource): FollowedFile {
    return this.files.find(({ sources }) => sources.includes(source)) as FollowedFile
  }

  /** Reads what was not read yet; whether there was anything. */
  private async readNew(signal: AbortSignal, tell: () => void): Promise<boolean> {
    const grown = new Map<number, FollowedSource>()
    let bytes = 0
    for (const [number, source] of this.sourcesNow.entries()) {
      if (source.over || (source.under !== null && !hasMore(source))) continue
      grown.set(number, source)
      bytes += source.open.source.size - source.readTo
    }
    if (grown.size === 0) return false
    const positions = new Map([...grown].map(([number, source]) => [number, positionOf(source)]))
    for (const [number, source] of grown) source.under = this.under[number] as string
    const { plan } = this.survey
    const workers = startWorkers(bytes, this.host)
    const pool = workers.length === 0 ? auditingPool(this.runtime, this.host) : workerPool(workers, plan, this.host)
    const close = () => pool.close()
    signal.addEventListener('abort', close, { once: true })
    // Only what was audited counts as read, should reading break off.
    const found = new Map([...grown.keys()].map((number) => [number, [] as RecordSpans[]]))
    try {
      await runPass(this.opened, pool, null, {
        signal,
        only: new Set(grown.keys()),
        from: (number) => positions.get(number) ?? null,
        onSpans: (number, spans) => found.get(number)?.push(spans),
        onResult: (result) => {
          const source = grown.get(result.source) as FollowedSource
          const spans = found.get(result.source)?.shift()
          if (spans !== undefined) source.collected.sources[0]?.spans.push(spans)
          source.collected.add({ ...result, source: 0 })
          this.touch()
          tell()
        },
        keepsFindings: (number) => grown.get(number)?.collected.keepsFindings ?? true,
        onBytes: (number, read) => {
          const state = grown.get(number)?.collected.sources[0]
          if (state !== undefined) state.bytesRead = read
          tell()
        },
      })
      for (const source of grown.values()) source.readTo = source.growing?.size ?? 0
      this.failedBefore = null
    } catch (error) {
      signal.throwIfAborted()
      const why = sentence(error)
      if (why === this.failedBefore) throw error
      this.failedBefore = why
      for (const source of grown.values()) {
        // Lines are read on behind the last that was audited, anything else from its start.
        if (source.growing !== null || source.over) continue
        source.under = null
        forget(source, this.options)
        this.rearranged++
      }
      this.following.onNotice?.(`${why} It is tried again.`)
    } finally {
      signal.removeEventListener('abort', close)
      pool.close()
      for (const worker of workers) worker.terminate()
    }
    for (const source of grown.values()) {
      if (source.growing === null) continue
      source.seen = await source.growing.seen(positionOf(source)?.byte ?? 0).catch(() => null)
    }
    return true
  }

  private touch(): void {
    this.version++
    // What comes to one source moves the rollouts of those behind it.
    if (this.sourcesNow.length > 1) this.rearranged++
    this.together = null
  }
}

/** Lines that stand in a file and were not read. */
function hasMore({ growing, readTo }: FollowedSource): boolean {
  return growing !== null && growing.size > readTo
}

function forget(source: FollowedSource, { maxFindings = DEFAULT_MAX_FINDINGS }: AuditOptions): void {
  source.collected = new Collected(1, maxFindings)
  source.readTo = 0
  source.seen = null
}

/** Says everything that a source is read under. */
function planName({ prepared, tokenizer, settings, ...plan }: SourcePlan): string {
  // One tokenizer may frame turns by what was read first, and none by what comes later.
  const framed = prepared !== null && prepared.frame !== null
  return `${JSON.stringify({ ...plan, tokenizer: tokenizer?.id ?? null, framed })} ${settingsName(settings)}`
}

/** Hundreds of sources share the settings of their kin, which are long. */
const settingsNames = new WeakMap<AuditSettings, string>()

function settingsName(settings: AuditSettings): string {
  const known = settingsNames.get(settings)
  if (known !== undefined) return known
  const name = JSON.stringify({ ...settings, policy: { ...settings.policy, suggested: null } })
  settingsNames.set(settings, name)
  return name
}
