import type { TrajectoryFacts } from '../checks/facts.ts'
import { type RecordSpans, UnreadableSource } from '../containers/container.ts'
import { parseRecords } from '../containers/records.ts'
import type { Format } from '../formats/format.ts'
import { allNumericKeys } from '../formats/registry.ts'
import type { AuditOptions } from '../model/policy.ts'
import type { Finding, Report } from '../model/report.ts'
import type { ByteSource, Place } from '../model/source.ts'
import { type AuditRuntime, auditBatch, auditTrajectory, byCodeAndToken } from './batch.ts'
import { boundaryRows } from './boundaries.ts'
import { chooseTrajectories } from './choose.ts'
import { Collected, codesOf, worstOf } from './collected.ts'
import { type Conclusion, conclude, DEFAULT_MAX_FINDINGS } from './conclude.ts'
import { detailOf, type LoadedTrajectory, tokenDetail } from './detail.ts'
import { dumpHash, hashSource } from './hashes.ts'
import type { EngineHost } from './host.ts'
import { loadTokenizer } from './load-tokenizer.ts'
import { type OpenSource, openSource } from './open-source.ts'
import { runPass } from './pass.ts'
import type { TokenizerReference } from './plan.ts'
import { type AuditPool, inlinePool, workerPool } from './pool.ts'
import type { BoundaryRow, Histogram, Progress, Row, RowQuery, TokenDetail, TrajectoryDetail } from './protocol.ts'
import { lengthHistogram, lengthsOf, queryRows } from './query.ts'
import { type Survey, survey } from './survey.ts'

export interface SessionHooks {
  onProgress?(progress: Progress): void
  readonly signal?: AbortSignal
  /** Tokenizers beside the bundled ones that `options.tokenizer` may name. */
  readonly addedTokenizers?: readonly TokenizerReference[]
}

export interface UnreadableFile {
  readonly name: string
  readonly message: string
}

/** How often progress is told, in milliseconds. */
const PROGRESS_EVERY = 80

/**
 * One or more sources opened under one set of options: the façade that every host calls. `open` resolves as soon as the
 * formats, the tokenizer and the policy are known; the pass over all records then runs on, `facts` grows in report order,
 * and everything but `report().sources[].sha256` is final once `done` resolves.
 */
export class Session {
  readonly unreadable: readonly UnreadableFile[]
  readonly dumpHash: string
  readonly done: Promise<void>
  readonly survey: Survey
  private readonly opened: readonly OpenSource[]
  private readonly collected: Collected
  private readonly runtime: AuditRuntime
  private readonly hashes: (string | null)[]
  private readonly stop = new AbortController()
  private concluded: { readonly at: string; readonly conclusion: Conclusion } | null = null
  private byPlace: Map<string, number> | null = null
  private finished = false
  private pool: AuditPool | null = null
  private lastLoaded: LoadedTrajectory | null = null

  private constructor(
    opened: readonly OpenSource[],
    unreadable: readonly UnreadableFile[],
    hash: string,
    found: Survey,
    host: EngineHost,
    hooks: SessionHooks,
  ) {
    this.opened = opened
    this.unreadable = unreadable
    this.dumpHash = hash
    this.survey = found
    this.runtime = { plan: found.plan, tokenizers: [...found.tokenizers] }
    this.collected = new Collected(opened.length, found.plan.settings.options.maxFindings ?? DEFAULT_MAX_FINDINGS)
    this.hashes = opened.map(() => null)
    hooks.signal?.addEventListener('abort', () => this.close(), { once: true })
    this.done = this.run(host, hooks)
  }

  /**
   * Opens sources. Those that cannot be read are listed in `unreadable`, each with a sentence; the rest is audited.
   * Throws when `options.tokenizer` names a tokenizer that is not there or whose files are none.
   */
  static async open(
    sources: readonly ByteSource[],
    options: AuditOptions,
    host: EngineHost,
    hooks: SessionHooks = {},
  ): Promise<Session> {
    const opened: OpenSource[] = []
    const unreadable: UnreadableFile[] = []
    for (const source of sources) {
      hooks.signal?.throwIfAborted()
      try {
        opened.push(await openSource(source, opened.length))
      } catch (error) {
        if (!(error instanceof UnreadableSource)) throw error
        unreadable.push({ name: source.name, message: error.message })
      }
    }
    const found = await survey(opened, options, host, hooks.addedTokenizers ?? [])
    hooks.signal?.throwIfAborted()
    return new Session(opened, unreadable, await dumpHash(sources, host), found, host, hooks)
  }

  /** Throws with a sentence unless the files of a tokenizer can be read. */
  static async checkTokenizer(reference: TokenizerReference, host: EngineHost): Promise<void> {
    await loadTokenizer(reference, host.bundledTokenizers)
  }

  private async run(host: EngineHost, hooks: SessionHooks): Promise<void> {
    const { collected, opened } = this
    const { signal } = this.stop
    let told = 0
    const tell = (done: boolean) => {
      const now = Date.now()
      if (!done && now - told < PROGRESS_EVERY) return
      told = now
      hooks.onProgress?.({
        bytesRead: collected.sources.reduce((sum, source) => sum + source.bytesRead, 0),
        bytesTotal: opened.reduce((sum, { source }) => sum + source.size, 0),
        trajectories: collected.facts.length,
        skipped: collected.sources.reduce((sum, { skipped }) => sum + skipped.length, 0),
        done,
      })
    }
    const hashing = Promise.all(
      opened.map(async ({ source }, index) => {
        this.hashes[index] = await hashSource(source, host, signal)
      }),
    )
    hashing.catch(() => undefined)
    try {
      const keep = await chooseTrajectories(opened, this.survey.plan.settings.options)
      this.pool = this.createPool(host)
      await runPass(opened, this.pool, keep, {
        signal,
        onResult: (result) => {
          collected.add(result)
          tell(false)
        },
        onSpans: (source, spans) => collected.sources[source]?.spans.push(spans),
        onBytes: (source, bytes) => {
          const state = collected.sources[source]
          if (state !== undefined) state.bytesRead = bytes
          tell(false)
        },
      })
      await hashing
      this.finished = true
      tell(true)
    } finally {
      this.pool?.close()
      this.pool = null
    }
  }

  private createPool(host: EngineHost): AuditPool {
    const small = this.opened.reduce((sum, { source }) => sum + source.size, 0) < WORKERS_FROM_BYTES
    if (host.spawnAuditWorker === undefined || host.jobs < 2 || small) {
      return inlinePool((job) => auditBatch(job, this.runtime))
    }
    return workerPool(host.spawnAuditWorker, host.jobs, this.survey.plan)
  }

  /** Stops reading and lets everything go. */
  close(): void {
    this.stop.abort(new Error('Reading was stopped.'))
    this.pool?.close()
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

  private conclusion(): Conclusion {
    const at = `${this.collected.facts.length}:${this.finished}:${this.hashes.join()}`
    if (this.concluded?.at !== at) {
      this.concluded = { at, conclusion: conclude(this.opened, this.survey, this.collected, this.hashes) }
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
    if (this.byPlace === null || this.byPlace.size !== this.facts.length) {
      this.byPlace = new Map(this.facts.map(({ place: at }, index) => [`${at.source}:${at.record}:${at.part}`, index]))
    }
    const index = this.byPlace.get(`${place.source}:${place.record}:${place.part}`)
    if (index === undefined)
      throw new Error(`No rollout at source ${place.source}, record ${place.record}, part ${place.part}.`)
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

  query(query: RowQuery): Int32Array {
    return queryRows({ facts: this.facts, codesOf: (index) => this.codesOf(index) }, query)
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
    const recordBytes = await open.container.read(spans)
    const { records, skipped } = parseRecords(recordBytes, spans, allNumericKeys)
    const read = open.format.read(records, { source: place.source, recognition: open.recognition })
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
      findings: [...findings, ...(this.dumpFindings().get(index) ?? [])].sort(byCodeAndToken),
      formatId: open.format.id,
      sourceIndex: place.source,
      recordBytes,
    }
    return this.lastLoaded
  }

  async detail(index: number): Promise<TrajectoryDetail> {
    const loaded = await this.load(index)
    return detailOf(loaded, this.tokenizerOf(loaded))
  }

  async token(index: number, token: number): Promise<TokenDetail> {
    const loaded = await this.load(index)
    return tokenDetail(loaded, token, this.tokenizerOf(loaded))
  }

  private tokenizerOf({ sourceIndex }: LoadedTrajectory) {
    return this.runtime.tokenizers[sourceIndex] ?? null
  }

  /** The listed findings of one rollout (those of its group included); `load` has all of them, whatever `maxFindings`. */
  findingsOf(index: number): readonly Finding[] {
    if (this.findingsByIndex === null || this.findingsByIndexOf !== this.collected.findings.length) {
      this.findingsByIndex = new Map()
      this.findingsByIndexOf = this.collected.findings.length
      for (const finding of this.collected.findings) {
        const at = this.locate({ source: finding.source, record: finding.record ?? 0, part: finding.part ?? 0 })
        const found = this.findingsByIndex.get(at)
        if (found === undefined) this.findingsByIndex.set(at, [finding])
        else found.push(finding)
      }
    }
    return [...(this.findingsByIndex.get(index) ?? []), ...(this.dumpFindings().get(index) ?? [])].sort(byCodeAndToken)
  }

  private findingsByIndex: Map<number, Finding[]> | null = null
  private findingsByIndexOf = -1
}

/** Below this a worker costs more to start than it saves. */
const WORKERS_FROM_BYTES = 8 << 20

function spansOf(batches: readonly RecordSpans[], record: number): RecordSpans {
  let low = 0
  let high = batches.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((batches[middle] as RecordSpans).first <= record) low = middle
    else high = middle - 1
  }
  const batch = batches[low]
  const at = record - (batch?.first ?? 0)
  if (batch === undefined || at < 0 || at >= batch.offsets.length) throw new Error(`Record ${record} was not indexed.`)
  return {
    first: record,
    lines: batch.lines.subarray(at, at + 1),
    offsets: batch.offsets.subarray(at, at + 1),
    lengths: batch.lengths.subarray(at, at + 1),
  }
}
