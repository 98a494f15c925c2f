import type { DumpView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { cutAgainstSiblings } from '../checks/truncation/prompt-cut-left.ts'
import { toldEnds } from '../checks/truncation/told-ends.ts'
import type { ReadTrajectory, StoredRecords } from '../exports/export-kind.ts'
import type { SecondRun } from '../hypotheses/hypothesis.ts'
import type { AuditOptions } from '../model/policy.ts'
import type { Finding, LogReport, Report } from '../model/report.ts'
import type { ByteSource, Place } from '../model/source.ts'
import type { DumpValues } from '../query/language/complete.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import { orAborted } from './aborted.ts'
import { boundaryRows } from './audit/boundaries.ts'
import type { Collected } from './audit/collected.ts'
import { lengthHistogram, lengthsOf } from './audit/lengths.ts'
import type { TokenizerReference } from './audit/plan.ts'
import { BesideRollouts } from './beside-rollouts.ts'
import { conclude, type Gathered, gathered } from './concluding/conclude.ts'
import { type ConclusionOrigin, Conclusions } from './concluding/conclusions.ts'
import { indexOfPlace } from './concluding/fault-rows.ts'
import type { LoadedTrajectory } from './detail.ts'
import type { Following } from './following/follow.ts'
import type { EngineHost } from './host.ts'
import { givenFiles, withState } from './merge/state.ts'
import { loadTokenizer } from './opening/load-tokenizer.ts'
import { type OpenedReading, openReading } from './opening/open-reading.ts'
import type { UnreadableFile } from './opening/open-source.ts'
import type { Survey } from './opening/survey.ts'
import type { BoundaryRow, Histogram, Progress, Row, TokenDetail, TrajectoryDetail } from './protocol.ts'
import { datasetRefusal } from './read-dataset.ts'
import type { Reading } from './reading.ts'
import type { SearchRequest, SearchResult } from './requests/query.ts'
import { RolloutReader } from './rollout/reader.ts'
import { type ReadingHooks, RunReader } from './run-reader.ts'
import { RolloutSearch, type SearchHooks, type SearchOrigin } from './search/search.ts'
import { storedRecords } from './search/stored-records.ts'

export interface SessionHooks extends ReadingHooks {
  /** Tokenizers beside the bundled ones that `options.tokenizer` may name. */
  readonly addedTokenizers?: readonly TokenizerReference[]
  /** A second run, for the verdicts that need two: `secondRun()` of another session whose `done` has resolved. */
  readonly against?: SecondRun | null
  /** The run is still being written: its files are read on until following ends. The sources that are opened with it are left out of account. */
  readonly follow?: Following
  /** Files that the host could not open: they are listed beside those that it could and that could not be read. */
  readonly unopened?: readonly UnreadableFile[]
  /** The host answers other questions while conclusions are drawn: those of a session that is still read may be a little behind. */
  readonly concludesInSteps?: boolean
}

const NEVER = new AbortController().signal

/**
 * One or more sources opened under one set of options: the façade that every host calls. `open` resolves as soon as the
 * formats, the tokenizer and the policy are known; the pass over all records then runs on, `facts` grows in report order,
 * and everything is final once `done` resolves. Where reading breaks off `done` rejects with a sentence (so does `failure`);
 * what was read until then can still be looked at.
 */
export class Session {
  readonly dumpHash: string
  readonly done: Promise<void>
  /** Resolves once each source has its SHA-256 or never will: with `done`, unless that is left until all is judged. Rejects where it is closed before. */
  readonly hashed: Promise<void>
  private readonly reading: Reading
  private readonly reader: RunReader
  private readonly conclusions: Conclusions
  private readonly beside: BesideRollouts
  /** Nobody will ask any more; `close` only ends reading. */
  private readonly letGo: AbortSignal
  /** What it takes to read rollouts again. */
  readonly again: SearchOrigin
  private readonly searching: RolloutSearch
  /** The rollouts that a person opens, and what is asked of one. */
  readonly rollouts: RolloutReader
  private against: SecondRun | null
  /** Grows with every other second run. */
  private changes = 0

  private constructor(
    opened: OpenedReading,
    private readonly host: EngineHost,
    hooks: SessionHooks,
  ) {
    const { reading } = opened
    this.reading = reading
    this.dumpHash = opened.hash
    // Sources of a followed run may change their numbers, so that an older conclusion would speak of others.
    const inSteps = hooks.concludesInSteps === true && hooks.follow === undefined
    this.letGo = hooks.signal ?? NEVER
    this.conclusions = new Conclusions(this.conclusionOrigin(), inSteps)
    this.beside = new BesideRollouts(
      () => this.collected,
      () => this.conclusions.recent(),
    )
    this.again = this.searchOrigin()
    this.searching = new RolloutSearch(this.again)
    this.rollouts = new RolloutReader({
      again: this.again,
      conclusion: () => this.conclusions.recent(),
      findingsOfDump: (index) => this.beside.findingsOfDump(index),
    })
    this.against = hooks.against ?? null
    this.reader = new RunReader(opened, host, hooks)
    this.done = this.reader.run(inSteps ? (tell) => this.settled(tell) : null)
    // Who waits for it is told; a host that looks at `failure` instead must not be ended by it.
    this.done.catch(() => undefined)
    this.hashed = this.done.then(() => this.reader.hashLate())
    this.hashed.catch(() => undefined)
  }

  /**
   * Opens sources. Those that cannot be read are listed in `unreadable`, each with a sentence; the rest is audited.
   * Throws when `options.tokenizer` names a tokenizer that is not there or whose files are none, and the signal's reason.
   */
  static async open(
    sources: readonly ByteSource[],
    options: AuditOptions,
    host: EngineHost,
    hooks: SessionHooks = {},
  ): Promise<Session> {
    return new Session(await openReading(sources, options, host, hooks), host, hooks)
  }

  /** Throws with a sentence unless the files of a tokenizer can be read. */
  static async checkTokenizer(reference: TokenizerReference, host: EngineHost): Promise<void> {
    await loadTokenizer(reference, host.bundledTokenizers)
  }

  /** Throws with a sentence unless a prompt can be read in the dataset that is to be given with `hooks.dataset`. */
  static async checkDataset(
    dataset: readonly ByteSource[],
    { maxUnpacked }: Pick<AuditOptions, 'maxUnpacked'>,
    signal?: AbortSignal,
  ): Promise<void> {
    const refusal = await datasetRefusal(dataset, { maxUnpacked: maxUnpacked ?? null, ...(signal ? { signal } : {}) })
    if (refusal !== null) throw new Error(refusal)
  }

  /** How far reading is. */
  progress(done: boolean): Progress {
    return this.reader.progress(done)
  }

  /** Stops reading; `done` rejects unless it has resolved. What was read can still be looked at. */
  close(): void {
    this.reader.close()
  }

  get survey(): Survey {
    return this.reading.survey
  }

  get unreadable(): readonly UnreadableFile[] {
    return this.reading.unreadable
  }

  /** What files without rollouts say as logs of the run. */
  get logs(): readonly LogReport[] {
    return this.reading.logs
  }

  private get collected(): Collected {
    return this.reading.collected
  }

  /** Why reading broke off before the end, null while it goes on and once it is done. */
  get failure(): Error | null {
    return this.reader.failure
  }

  /** What of the dataset could not be read, a sentence each. */
  get datasetProblems(): readonly { readonly name: string; readonly message: string }[] {
    return this.reader.dataset?.problems ?? []
  }

  get isDone(): boolean {
    return this.reader.isDone
  }

  /** Facts of every trajectory read so far, in report order. */
  get facts(): readonly TrajectoryFacts[] {
    return this.collected.facts
  }

  report(): Report {
    return this.reader.late.in(this.conclusions.exact().report)
  }

  /**
   * The report with all that it takes to merge it with others, which grows with the number of rollouts. `maxFindings`: where fewer
   * are to be listed than were kept.
   */
  mergeableReport(maxFindings?: number): Report {
    const all = this.gathered()
    const files = givenFiles(this.survey.given)
    if (maxFindings === undefined) return this.reader.late.in(withState(all, this.conclusions.exact(), files))
    const fewer = { ...all, maxFindings }
    return this.reader.late.in(withState(fewer, conclude(fewer), files))
  }

  /** The report of everything, or one that is a little behind while more is read, without holding up the thread. */
  async settled(tell?: (share: number) => void): Promise<Report> {
    return this.reader.late.in((await this.conclusions.settled(this.letGo, tell)).report)
  }

  /** As `settled`, of no less than was read when it was asked for. */
  async judged(): Promise<Report> {
    return this.reader.late.in((await this.conclusions.settled(this.letGo, undefined, this.revision)).report)
  }

  /** Nothing is left to be hashed. */
  get isHashed(): boolean {
    return this.reader.late.isWhole
  }

  /** A report of this session with the SHA-256 of its sources, which are waited for, whatever is opened meanwhile. Rejects with the signal's reason. */
  async withHashes(report: Report, signal: AbortSignal): Promise<Report> {
    await orAborted(this.hashed, signal).catch(() => this.reader.late.take(signal))
    return this.reader.late.in(report)
  }

  /** Ends what is being judged: the last verdicts stand, whatever was read since, until `judgeOn`. */
  stopJudging(): void {
    this.conclusions.stop()
  }

  /** The last verdicts are of everything that was read. */
  get isJudged(): boolean {
    return this.conclusions.areOfAll
  }

  /** Nobody stopped the reading of what was written to a run that was followed. */
  get isWhole(): boolean {
    return this.reader.isWhole
  }

  /** Whether it was stopped. */
  judgeOn(): boolean {
    return this.conclusions.goOn()
  }

  /** This run as another session's second one. */
  secondRun(): SecondRun {
    return this.conclusions.exact().run
  }

  /** The report and what two runs are compared by, of one conclusion: that of everything, or where they are drawn in steps the last one, however old. */
  concluded(): { readonly report: Report; readonly run: SecondRun } {
    return this.conclusions.recent()
  }

  /** Facts, groups, limits and settings of what has been read so far, as checks see them. */
  get dump(): DumpView {
    return this.conclusions.recent().run.dump
  }

  /** The groups of all that has been read. */
  groups(): DumpView['groups'] {
    return this.conclusions.exact().run.dump.groups
  }

  /** Findings about groups and about the whole dump, uncut. */
  get findingsOfDump(): readonly Finding[] {
    const { dumpFindings, explained } = this.conclusions.recent()
    return dumpFindings.map(explained)
  }

  /** Judges again, beside a second run: `secondRun()` of another session whose `done` has resolved; null takes it away. */
  compareWith(second: SecondRun | null): void {
    this.against = second
    this.changes++
    this.judgeOn()
  }

  private gathered(whileReading = false): Gathered {
    const { unreadable, logs, against, collected } = this
    const { dataset, hashes, isRead } = this.reader
    const beside = { unreadable, logs, against, dataset }
    const sums = whileReading && !isRead ? collected.soFar() : collected
    return gathered(this.reading.opened, this.survey, collected, hashes, beside, sums)
  }

  /** Grows with whatever was read, or changes what is concluded. */
  private get revision(): number {
    return this.collected.version + this.reader.changes + this.changes
  }

  private conclusionOrigin(): ConclusionOrigin {
    const session = this
    return {
      get revision() {
        return session.revision
      },
      get isRead() {
        return session.reader.isRead
      },
      get rearranged() {
        return session.reading.rearranged
      },
      gathered: (whileReading) => this.gathered(whileReading),
    }
  }

  /** The report-order index of a trajectory; throws when it is not (or not yet) among those read. */
  locate(place: Place): number {
    const index = indexOfPlace(this.facts, place)
    if (index < 0) throw new Error(`No rollout at source ${place.source}, record ${place.record}, part ${place.part}.`)
    return index
  }

  /** Codes that stand in a rollout, those of its group included and intended ones excepted. */
  codesOf(index: number): readonly string[] {
    return this.beside.codesOf(index)
  }

  rows(indices: readonly number[]): Row[] {
    return this.beside.rows(indices)
  }

  /** Runs a query over what has been read; see `RolloutSearch`. */
  search(request: SearchRequest, hooks?: SearchHooks): Promise<SearchResult> {
    return this.searching.search(request, hooks)
  }

  /** What completion of a query may offer. */
  queryValues(): Promise<DumpValues> {
    return this.searching.values()
  }

  private searchOrigin(): SearchOrigin {
    const session = this
    return {
      host: this.host,
      get facts() {
        return session.facts
      },
      get revision() {
        return session.revision + session.conclusions.behind
      },
      get isDone() {
        return session.isDone
      },
      get opened() {
        return session.reading.opened
      },
      get runtime() {
        return session.reading.runtime
      },
      codesOf: (index) => this.beside.codesOf(index),
      beginLater: () => cutAgainstSiblings(this.dump),
      openEnds: () => toldEnds(this.dump).open,
      refutedStops: () => toldEnds(this.dump).refuted,
      limits: () => this.dump,
      codeLists: () => this.beside.codeLists(),
      worstRanks: () => this.beside.worstRanks(),
      sourceName: (source) => this.reading.opened[source]?.source.name ?? '',
      spans: (source) => this.collected.sources[source]?.spans ?? [],
    }
  }

  boundaries(): BoundaryRow[] {
    return boundaryRows(this.collected.boundaries)
  }

  lengths(of: 'sequence' | 'prompt' | 'assistant-turn' | 'tool-reply'): Histogram {
    return lengthHistogram(lengthsOf(this.facts, of))
  }

  /** Reads one trajectory again from its source, under the session's settings. */
  load(index: number): Promise<LoadedTrajectory> {
    return this.rollouts.load(index)
  }

  /** Reads many again, several to a reading; `indices` ascending. */
  read(indices: readonly number[]): AsyncIterable<ReadTrajectory> {
    return this.rollouts.read(indices)
  }

  /** The records of trajectories as they are stored, which nothing is looked for in; `indices` ascending. */
  stored(indices: readonly number[]): AsyncIterable<StoredRecords> {
    return storedRecords(this.again, indices)
  }

  detail(index: number, signal?: AbortSignal): Promise<TrajectoryDetail> {
    return this.rollouts.detail(index, signal)
  }

  token(index: number, token: number): Promise<TokenDetail> {
    return this.rollouts.token(index, token)
  }

  tokenizerOf(loaded: LoadedTrajectory): Tokenizer | null {
    return this.rollouts.tokenizerOf(loaded)
  }

  metadataOf(source: number) {
    return this.reading.opened[source]?.container.metadata ?? null
  }
}
