import type { DumpView } from '../checks/check.ts'
import type { TrajectoryFacts } from '../checks/facts.ts'
import type { DatasetFacts } from '../checks/truncation/dataset.ts'
import type { RawRecord } from '../containers/container.ts'
import { decodeRecords } from '../containers/decode.ts'
import type { Format } from '../formats/format.ts'
import { readJoined } from '../formats/join.ts'
import { allNumericKeys } from '../formats/registry.ts'
import type { SecondRun } from '../hypotheses/hypothesis.ts'
import type { AuditOptions, PolicyId } from '../model/policy.ts'
import type { Finding, LogReport, Report } from '../model/report.ts'
import type { ByteSource, Place } from '../model/source.ts'
import type { DumpValues } from '../query/language/complete.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'
import { type AuditRuntime, auditTrajectory, byCodeAndToken } from './batch.ts'
import { boundaryRows } from './boundaries.ts'
import { chooseTrajectories } from './choose.ts'
import { type Collected, codesOf, worstOf } from './collected.ts'
import { type Conclusion, conclude, type Gathered, gathered } from './conclude.ts'
import { detailOf, type LoadedTrajectory, tokenDetail } from './detail.ts'
import { indexOfPlace } from './fault-rows.ts'
import { Follower, type Following } from './follow.ts'
import { dumpHash, hashSource } from './hashes.ts'
import type { EngineHost, WorkerLink } from './host.ts'
import { joinSources, readerOf } from './join-sources.ts'
import { lengthHistogram, lengthsOf } from './lengths.ts'
import { loadTokenizer } from './load-tokenizer.ts'
import { givenFiles, withState } from './merge-state.ts'
import { openFile } from './open-file.ts'
import { type OpenSource, spansOf, type UnreadableFile } from './open-source.ts'
import { runPass } from './pass.ts'
import type { TokenizerReference } from './plan.ts'
import { type AuditPool, auditingPool, startWorkers, workerPool } from './pool.ts'
import type { BoundaryRow, Histogram, Progress, Row, TokenDetail, TrajectoryDetail } from './protocol.ts'
import { datasetRefusal, readDataset, unreadDataset } from './read-dataset.ts'
import { type Reading, readOnce } from './reading.ts'
import { type RenderedTexts, renderTexts } from './rendered-texts.ts'
import type { SearchRequest, SearchResult } from './requests/query.ts'
import type { IdComparison, Overlay, OverlayChoice, OverlayId, Relatives, TokenWeight } from './requests/rollout.ts'
import { compareIds } from './rollout/compare-ids.ts'
import { type LossBatch, lossBatchOf, tokenWeightsOf } from './rollout/loss-weights.ts'
import { overlayChoices, overlayOf } from './rollout/overlays.ts'
import { relativesOf } from './rollout/relatives.ts'
import { inTheirRun, type RunDescription } from './run-context.ts'
import { RolloutSearch, type SearchHooks, type SearchOrigin } from './search.ts'
import { type Survey, survey } from './survey.ts'

export interface SessionHooks {
  onProgress?(progress: Progress): void
  readonly signal?: AbortSignal
  /** Tokenizers beside the bundled ones that `options.tokenizer` may name. */
  readonly addedTokenizers?: readonly TokenizerReference[]
  /** A second run, for the verdicts that need two: `secondRun()` of another session whose `done` has resolved. */
  readonly against?: SecondRun | null
  /** The run is still being written: its files are read on until following ends. The sources that are opened with it are left out of account. */
  readonly follow?: Following
  /** The dataset that the run was started with, which tells what never became a rollout (C11). */
  readonly dataset?: readonly ByteSource[]
}

const NEVER = new AbortController().signal

/** How often progress is told, in milliseconds. */
const PROGRESS_EVERY = 80

/**
 * One or more sources opened under one set of options: the façade that every host calls. `open` resolves as soon as the
 * formats, the tokenizer and the policy are known; the pass over all records then runs on, `facts` grows in report order,
 * and everything is final once `done` resolves. Where reading breaks off `done` rejects with a sentence (so does `failure`);
 * what was read until then can still be looked at.
 */
export class Session {
  readonly dumpHash: string
  readonly done: Promise<void>
  private readonly hashes: (string | null)[]
  private readonly stop = new AbortController()
  private concluded: { readonly at: number; readonly conclusion: Conclusion } | null = null
  private finished = false
  private failed: Error | null = null
  private pool: AuditPool | null = null
  private lastLoaded: LoadedTrajectory | null = null
  /** What it takes to read rollouts again. */
  readonly again: SearchOrigin
  private readonly searching: RolloutSearch
  private against: SecondRun | null
  private dataset: DatasetFacts | null
  /** Grows with all that is no part of what was collected, and changes what is concluded. */
  private changes = 0

  private constructor(
    private readonly reading: Reading,
    hash: string,
    private readonly workers: readonly WorkerLink[],
    private readonly host: EngineHost,
    hooks: SessionHooks,
  ) {
    this.dumpHash = hash
    this.again = this.searchOrigin()
    this.searching = new RolloutSearch(this.again)
    this.hashes = reading.opened.map(() => null)
    this.against = hooks.against ?? null
    this.dataset = hooks.dataset?.length ? unreadDataset(hooks.dataset) : null
    hooks.signal?.addEventListener('abort', () => this.close(), { once: true })
    this.done = this.run(host, hooks)
    // Who waits for it is told; a host that looks at `failure` instead must not be ended by it.
    this.done.catch(() => undefined)
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
    const { signal } = hooks
    if (hooks.follow !== undefined) {
      const follower = new Follower(hooks.follow, options, host, hooks.addedTokenizers ?? [])
      await follower.open(signal ?? NEVER)
      const hash = await dumpHash(follower.sources, host)
      return new Session(follower, hash, [], host, hooks)
    }
    const opened: OpenSource[] = []
    const unreadable: UnreadableFile[] = []
    const logs: LogReport[] = []
    const descriptions: RunDescription[] = []
    for (const given of sources) {
      signal?.throwIfAborted()
      const file = await openFile(given, opened.length, options, signal)
      opened.push(...file.opened)
      unreadable.push(...file.unreadable)
      logs.push(...file.logs)
      descriptions.push(...file.descriptions)
    }
    const inRun = inTheirRun(opened, descriptions)
    const workers = startWorkers(bytesOf(opened), host)
    try {
      const found = await survey(inRun, options, host, hooks.addedTokenizers ?? [])
      const hash = await dumpHash(sources, host)
      signal?.throwIfAborted()
      const surveyed = (await joinSources(inRun, signal)).map((open) => ({ ...open, sample: [] }))
      return new Session(readOnce(surveyed, found, { unreadable, logs }), hash, workers, host, hooks)
    } catch (error) {
      for (const worker of workers) worker.terminate()
      throw error
    }
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

  private async run(host: EngineHost, hooks: SessionHooks): Promise<void> {
    const { signal } = this.stop
    let told = 0
    const tell = (done: boolean) => {
      const now = Date.now()
      if (signal.aborted || (!done && now - told < PROGRESS_EVERY)) return
      told = now
      hooks.onProgress?.(this.progress(done))
    }
    // A source that never answers must not keep a closed session waiting.
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    try {
      await Promise.race([this.read(host, hooks.dataset ?? [], () => tell(false)), stopped])
      this.finished = true
      tell(true)
    } catch (error) {
      this.failed = error instanceof Error ? error : new Error(String(error))
      tell(true)
      throw this.failed
    } finally {
      this.close()
    }
  }

  /** How far reading is. */
  progress(done: boolean): Progress {
    const { sources, facts } = this.collected
    return {
      bytesRead: sources.reduce((sum, { bytesRead }) => sum + bytesRead, 0),
      bytesTotal: bytesOf(this.opened),
      trajectories: facts.length,
      skipped: sources.reduce((sum, { skipped }) => sum + skipped.length, 0),
      done,
      ...(this.reading instanceof Follower && !done ? { following: true } : {}),
    }
  }

  private async read(host: EngineHost, dataset: readonly ByteSource[], tell: () => void): Promise<void> {
    const { reading } = this
    const { signal } = this.stop
    if (reading instanceof Follower) {
      await reading.follow(signal, tell)
      await this.readDataset(dataset)
      return
    }
    const { collected, opened } = reading
    const hashing = host.slowSha256 ? null : this.hash(host)
    hashing?.catch(() => undefined)
    const keep = await chooseTrajectories(opened, this.survey.plan.settings.options, signal)
    signal.throwIfAborted()
    this.pool = this.createPool()
    await runPass(opened, this.pool, keep, {
      signal,
      onResult: (result) => {
        collected.add(result)
        tell()
      },
      onSpans: (source, spans) => collected.sources[source]?.spans.push(spans),
      onBytes: (source, bytes) => {
        const state = collected.sources[source]
        if (state !== undefined) state.bytesRead = bytes
        tell()
      },
    })
    await (hashing ?? this.hash(host))
    await this.readDataset(dataset)
  }

  private async readDataset(sources: readonly ByteSource[]): Promise<void> {
    const { maxUnpacked = null, checks } = this.survey.plan.settings.options
    if (sources.length === 0 || (checks !== undefined && !checks.includes('C11'))) return
    const tokenizer = this.runtime.tokenizers.find((each) => each !== null) ?? null
    this.dataset = await readDataset(sources, tokenizer, { maxUnpacked, signal: this.stop.signal })
    this.changes++
  }

  /** One source after the other: a run may have more files than a process may open at a time. */
  private async hash(host: EngineHost): Promise<void> {
    for (const [index, { source }] of this.opened.entries()) {
      this.hashes[index] = await hashSource(source, host, this.stop.signal)
      this.changes++
    }
  }

  private createPool(): AuditPool {
    if (this.workers.length === 0) return auditingPool(this.runtime)
    return workerPool(this.workers, this.survey.plan)
  }

  /** Stops reading; `done` rejects unless it has resolved. What was read can still be looked at. */
  close(): void {
    this.stop.abort(new Error('Reading was stopped.'))
    this.pool?.close()
    this.pool = null
    for (const worker of this.workers) worker.terminate()
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

  private get opened(): readonly OpenSource[] {
    return this.reading.opened
  }

  private get collected(): Collected {
    return this.reading.collected
  }

  private get runtime(): AuditRuntime {
    return this.reading.runtime
  }

  /** Why reading broke off before the end, null while it goes on and once it is done. */
  get failure(): Error | null {
    return this.failed
  }

  /** What of the dataset could not be read, a sentence each. */
  get datasetProblems(): readonly { readonly name: string; readonly message: string }[] {
    return this.dataset?.problems ?? []
  }

  get isDone(): boolean {
    return this.finished
  }

  /** Facts of every trajectory read so far, in report order. */
  get facts(): readonly TrajectoryFacts[] {
    return this.collected.facts
  }

  report(): Report {
    return this.conclusion().report
  }

  /**
   * The report with all that it takes to merge it with others, which grows with the number of rollouts. `maxFindings`: where fewer
   * are to be listed than were kept.
   */
  mergeableReport(maxFindings?: number): Report {
    const { survey } = this
    const all = this.gathered()
    if (maxFindings === undefined) return withState(all, this.conclusion(), givenFiles(survey.given))
    const fewer = { ...all, maxFindings }
    return withState(fewer, conclude(fewer), givenFiles(survey.given))
  }

  /** This run as another session's second one. */
  secondRun(): SecondRun {
    return this.conclusion().run
  }

  /** Facts, groups, limits and settings of what has been read so far, as checks see them. */
  get dump(): DumpView {
    return this.conclusion().run.dump
  }

  /** Findings about groups and about the whole dump, uncut. */
  get findingsOfDump(): readonly Finding[] {
    const { dumpFindings, explained } = this.conclusion()
    return dumpFindings.map(explained)
  }

  /** Judges again, beside a second run: `secondRun()` of another session whose `done` has resolved; null takes it away. */
  compareWith(second: SecondRun | null): void {
    this.against = second
    this.changes++
  }

  private gathered(): Gathered {
    const { unreadable, logs, against, dataset } = this
    return gathered(this.opened, this.survey, this.collected, this.hashes, { unreadable, logs, against, dataset })
  }

  /** Grows with whatever was read, or changes what is concluded. */
  private get revision(): number {
    return this.collected.version + this.changes
  }

  private conclusion(): Conclusion {
    const at = this.revision
    if (this.concluded?.at !== at) {
      const conclusion = conclude(this.gathered())
      this.concluded = { at, conclusion }
      this.dumpFindingsByIndex = null
    }
    return this.concluded.conclusion
  }

  private dumpFindingsByIndex: Map<number, Finding[]> | null = null

  /** Findings of groups and of the whole dump, by the trajectories that they name. */
  private dumpFindings(): Map<number, Finding[]> {
    const { dumpFindings } = this.conclusion()
    if (this.dumpFindingsByIndex === null) {
      const map = new Map<number, Finding[]>()
      const add = (index: number, finding: Finding) => {
        const found = map.get(index)
        if (found === undefined) map.set(index, [finding])
        else found.push(finding)
      }
      for (const finding of dumpFindings) {
        if (finding.record !== null) {
          add(this.locate({ source: finding.source, record: finding.record, part: finding.part ?? 0 }), finding)
        } else for (const member of finding.members ?? []) add(this.locate(member), finding)
      }
      this.dumpFindingsByIndex = map
    }
    return this.dumpFindingsByIndex
  }

  /** The report-order index of a trajectory; throws when it is not (or not yet) among those read. */
  locate(place: Place): number {
    const index = indexOfPlace(this.facts, place)
    if (index < 0) throw new Error(`No rollout at source ${place.source}, record ${place.record}, part ${place.part}.`)
    return index
  }

  /** Codes that stand in a rollout, those of its group included and intended ones excepted. */
  codesOf(index: number): readonly string[] {
    const extra = this.dumpFindings().get(index)
    const local = this.collected.codes[index] ?? []
    return extra === undefined ? local : [...new Set([...local, ...codesOf(extra)])].sort()
  }

  private worstOf(index: number): Finding['severity'] | null {
    const local = this.collected.worst[index] ?? null
    const wide = worstOf(this.dumpFindings().get(index) ?? [])
    if (local === 'error' || wide === 'error') return 'error'
    if (local === 'warning' || wide === 'warning') return 'warning'
    return local ?? wide
  }

  rows(indices: readonly number[]): Row[] {
    return indices.flatMap((index) => {
      const facts = this.facts[index]
      return facts === undefined ? [] : [{ index, facts, codes: this.codesOf(index), worst: this.worstOf(index) }]
    })
  }

  /** Runs a query over what has been read; see `RolloutSearch`. */
  search(request: SearchRequest, hooks?: SearchHooks): Promise<SearchResult> {
    return this.searching.search(request, hooks)
  }

  /** What completion of a query may offer. */
  queryValues(): DumpValues {
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
        return session.revision
      },
      get isDone() {
        return session.isDone
      },
      get opened() {
        return session.opened
      },
      get runtime() {
        return session.runtime
      },
      codesOf: (index) => this.codesOf(index),
      worstOf: (index) => this.worstOf(index),
      sourceName: (source) => this.opened[source]?.source.name ?? '',
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
  async load(index: number): Promise<LoadedTrajectory> {
    if (this.lastLoaded?.index === index && this.finished) return this.lastLoaded
    const facts = this.facts[index]
    if (facts === undefined) throw new Error(`There is no rollout ${index}; ${this.facts.length} have been read.`)
    const { place } = facts
    const open = this.opened[place.source] as OpenSource
    const spans = spansOf(this.collected.sources[place.source]?.spans ?? [], place.record)
    const encoded = await open.container.read(spans)
    const parsed = await decodeRecords(encoded, allNumericKeys)
    const { records, skipped } = parsed
    const reader = readerOf(this.opened)
    const read = readJoined(parsed, reader(place.source), reader)
    const trajectory = read.trajectories.find((candidate) => candidate.place.part === place.part)
    if (trajectory === undefined || trajectory.recordHash !== facts.recordHash) {
      throw new Error(
        `${open.source.name} changed while it was open: record ${place.record} is no longer what was read${skipped[0] ? ` (${skipped[0].message})` : ''}. Open it again.`,
      )
    }
    const { view, findings } = auditTrajectory(trajectory, open.format as Format, this.runtime)
    this.lastLoaded = {
      index,
      trajectory,
      facts,
      view,
      findings: [...findings, ...(this.dumpFindings().get(index) ?? [])]
        .map((finding) => this.conclusion().explained(finding))
        .sort(byCodeAndToken),
      formatId: open.format.id,
      sourceIndex: place.source,
      record: records[0] as RawRecord,
      encoded: encoded.decoder === 'joined' ? encoded.own : encoded,
    }
    return this.lastLoaded
  }

  metadataOf(source: number) {
    return this.opened[source]?.container.metadata ?? null
  }

  async detail(index: number): Promise<TrajectoryDetail> {
    const loaded = await this.load(index)
    return detailOf(loaded, this.tokenizerOf(loaded), this.renderedOf(loaded))
  }

  async token(index: number, token: number): Promise<TokenDetail> {
    const loaded = await this.load(index)
    return tokenDetail(loaded, token, this.tokenizerOf(loaded), this.policyOf(loaded), this.renderedOf(loaded))
  }

  /** What a rollout of text alone is shown as, where that was asked for. */
  private renderedOf(loaded: LoadedTrajectory): RenderedTexts | null {
    const asked = this.runtime.plan.sources[loaded.sourceIndex]?.rendersTexts ?? false
    return asked ? renderTexts(loaded.trajectory, this.tokenizerOf(loaded)) : null
  }

  async overlays(index: number): Promise<OverlayChoice[]> {
    return overlayChoices(await this.load(index))
  }

  async overlay(index: number, id: OverlayId): Promise<Overlay> {
    const loaded = await this.load(index)
    return overlayOf(loaded, id, {
      batch: () => this.lossBatch(loaded.facts),
      advantages: () => Float64Array.from(this.facts.flatMap(({ maxAdvantage }) => maxAdvantage ?? [])),
    })
  }

  async compareIds(index: number, kind: IdComparison['kind'], signal?: AbortSignal): Promise<IdComparison> {
    const loaded = await this.load(index)
    return compareIds(loaded, this.tokenizerOf(loaded), kind, signal)
  }

  /** Reads the branches of the rollout again, where it has some. */
  async relatives(index: number, signal?: AbortSignal): Promise<Relatives> {
    const { facts } = this
    const before = this.lastLoaded
    const ids = async (of: number) => (await this.load(of)).trajectory.ids
    const found = await relativesOf(index, { facts, groups: this.conclusion().groups, ids }, signal)
    this.lastLoaded = before
    return found
  }

  async lossWeights(index: number): Promise<TokenWeight[]> {
    const { facts } = await this.load(index)
    return tokenWeightsOf(facts, this.lossBatch(facts))
  }

  private lossBatch(own: TrajectoryFacts): LossBatch {
    return lossBatchOf(own, { facts: this.facts, limits: this.report().limits })
  }

  private policyOf({ sourceIndex }: LoadedTrajectory): PolicyId {
    return this.survey.plan.sources[sourceIndex]?.settings.policy.id ?? 'rl'
  }

  /** That of its source; null where none is known. */
  tokenizerOf({ sourceIndex }: LoadedTrajectory): Tokenizer | null {
    return this.runtime.tokenizers[sourceIndex] ?? null
  }
}

function bytesOf(opened: readonly OpenSource[]): number {
  return opened.reduce((sum, { source }) => sum + source.size, 0)
}
