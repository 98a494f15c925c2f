import type { ReadPosition } from '../../containers/container.ts'
import { decodeRecords } from '../../containers/decode.ts'
import { openContainer } from '../../containers/open.ts'
import { allNumericKeys } from '../../formats/registry.ts'
import type { SourceRun } from '../../formats/run-metadata/run-facts.ts'
import { counted } from '../../model/number-text.ts'
import type { AuditOptions } from '../../model/policy.ts'
import type { ByteSource } from '../../model/source.ts'
import { Collected } from '../audit/collected.ts'
import { type OpenedFile, openFile } from '../opening/open-file.ts'
import type { OpenSource } from '../opening/open-source.ts'
import type { SurveyedKin } from '../opening/survey.ts'
import { sentence } from '../sentence.ts'
import { GrowingBytes, holds, type Seen } from './growing-bytes.ts'

/** A file of a run that is being written, as it is now. */
export interface WatchedFile {
  /** As long as now; what is appended later is no part of it. */
  readonly source: ByteSource
  /** Stays with a file that is renamed, and is not that of a file that took its name; null where that cannot be told. */
  readonly identity: string | null
  /** Differs once the file was written to. */
  readonly stamp: string
  /** Nothing was written to it for a while. */
  readonly quiet: boolean
}

/** A source of rollouts in a followed file, and how far it was read. */
export interface FollowedSource {
  /** Without its sample once it was surveyed. */
  open: OpenSource
  /** Null for what is read when it is whole. */
  readonly growing: GrowingBytes | null
  /** Hash of the first record of which a rollout came. */
  readonly firstRecord: string | null
  /** All records by which the format, the tokenizer and the conventions are decided are there. */
  settled: boolean
  /** What its own first records say, and of what run they were said to be. */
  surveyed: { readonly survey: SurveyedKin; readonly run: SourceRun } | null
  collected: Collected
  /** What it was read under; null before it was read, and where it has to be read again. */
  under: string | null
  /** The file is gone or holds something else: what was read of it is all there is. */
  over: boolean
  seen: Seen | null
  /** Bytes of `growing` that were gone over. */
  readTo: number
}

/** What came of a look at a file. */
export interface Examined {
  /** Sources came, went or have to be read from their start. */
  readonly changed: boolean
  /** A sentence for the person, null where nothing unusual happened. */
  readonly notice: string | null
  /** Present and true where the file holds something else than what was read of it. */
  readonly isAnew?: true
}

const UNCHANGED: Examined = { changed: false, notice: null }
const CHANGED: Examined = { changed: true, notice: null }

/** A file that is read on as it grows. */
export class FollowedFile {
  sources: FollowedSource[] = []
  /** Those that were read of files which stood at this place before. */
  readonly earlier: FollowedSource[] = []
  /** What the file is beside rollouts, or why it could not be opened. */
  beside: Omit<OpenedFile, 'opened'> = { unreadable: [], logs: [], descriptions: [] }
  /** It was written to since it was looked at last, or could not be read then. */
  private pending = false
  private stamp: string | null = null
  private isGone = false
  /** Bytes at its end that were not read, since following ended before the record was whole. */
  private halfRecord = 0
  /** It was told that it is empty, which it may stay for many looks. */
  private toldEmpty = false
  /** Why the last look at it failed. */
  private failedBefore: string | null = null

  constructor(
    public name: string,
    public identity: string | null,
    private readonly options: AuditOptions,
  ) {}

  /** Takes notice of the file as it is now. `last`: no more will come, so that what was waited for is read as it is. */
  async examine(now: WatchedFile, last: boolean, signal: AbortSignal): Promise<Examined> {
    const { source, stamp } = now
    const isBack = this.isGone
    this.isGone = false
    const renamed = source.name !== this.name
    if (renamed) this.moveTo(source)
    const written = stamp !== this.stamp
    this.stamp = stamp
    this.identity = now.identity
    // A line without an end, or a file that could not be opened, was waited with until now.
    const waited = this.pending || isBack || (last && this.sources.every(({ growing }) => growing !== null))
    if (!written && !waited) return renamed ? CHANGED : UNCHANGED
    this.pending = false
    try {
      this.halfRecord = 0
      const read = await this.examineWritten(source, { quiet: now.quiet || !written || last, last }, signal)
      const examined = this.withHalfRecord(read)
      this.failedBefore = null
      return renamed || isBack ? { ...examined, changed: true } : examined
    } catch (error) {
      signal.throwIfAborted()
      // It was moved away since it was seen, or its disk is not there for now: the next look will tell.
      this.pending = true
      this.stamp = null
      const why = sentence(error)
      const notice =
        why === this.failedBefore
          ? null
          : /[.]$/.test(why)
            ? `${why} It is tried again.`
            : `${this.name} cannot be read now (${why}); it is tried again.`
      this.failedBefore = why
      return { changed: renamed, notice }
    }
  }

  private withHalfRecord(examined: Examined): Examined {
    if (this.halfRecord === 0) return examined
    const half = `${this.name} ends within a record: its last ${counted(this.halfRecord, 'byte')} are no whole one and were not read.`
    return { ...examined, notice: examined.notice === null ? half : `${examined.notice} ${half}` }
  }

  private async examineWritten(
    source: ByteSource,
    { quiet, last }: { quiet: boolean; last: boolean },
    signal: AbortSignal,
  ): Promise<Examined> {
    if (source.size > 0) this.toldEmpty = false
    const [only] = this.sources
    if (only?.growing && only.seen !== null && (await holds(source, only.seen))) {
      const before = only.growing.size
      only.over = false
      await only.growing.grow(source)
      if (last) this.halfRecord = await takeLastLine(only.growing)
      const isOpened = this.failedBefore === null
      if (only.settled || (only.growing.size === before && isOpened)) return UNCHANGED
      // It may show by now that another tokenizer, another convention, another format is meant.
      const { changed } = await this.reopen(source, last, signal)
      return { changed, notice: null }
    }
    const lines = await isLines(source)
    if (!lines && !quiet) {
      this.pending = true
      return UNCHANGED
    }
    // Nothing of what stands in no whole line is read, so nothing can have changed before.
    if (only === undefined && !last && lines && this.beside.unreadable.length > 0 && (await noLine(source))) {
      return UNCHANGED
    }
    return this.reopen(source, last, signal)
  }

  /** Opens the file from its start. What was read of another file that stood here before stays. */
  private async reopen(source: ByteSource, last: boolean, signal: AbortSignal): Promise<Examined> {
    const before = this.sources
    const { opened, growing, beside } = await this.open(source, last, signal)
    this.beside = beside
    if (opened.length === 0) {
      if (before.length === 0) return CHANGED
      // It is being written anew, or was emptied: what was read of it stays until there is something to read.
      this.pending = !last
      if (last) for (const each of before) each.over = true
      const emptied = !this.toldEmpty && !before.some(({ over }) => over) && source.size === 0
      this.toldEmpty ||= emptied
      return { changed: false, notice: emptied ? `${this.name} was emptied; what was read of it stays counted.` : null }
    }
    this.sources = opened.map((open) => followed(open, growing))
    if (before.length === 0) return CHANGED
    if (before[0]?.firstRecord === this.sources[0]?.firstRecord) {
      // Where nothing is known of what was read, nothing can be said to have changed.
      const known = before[0]?.seen !== null
      const notice = known ? `${this.name} was written anew and begins as before; it is read again.` : null
      return { changed: true, notice, ...(known ? { isAnew: true as const } : {}) }
    }
    for (const each of before) {
      each.over = true
      each.open = asEarlier(each.open, this.earlier.length + 1)
    }
    this.earlier.push(...before)
    return {
      changed: true,
      isAnew: true,
      notice: `${this.name} was replaced by another file. What was read before stays counted; the new one is read from its start.`,
    }
  }

  private async open(source: ByteSource, last: boolean, signal: AbortSignal) {
    const growing = (await isLines(source)) ? new GrowingBytes(source.name, source) : null
    if (growing !== null) {
      await growing.grow(source)
      const half = last ? await takeLastLine(growing) : 0
      // Of a file without one whole line it is told why it cannot be read.
      this.halfRecord = growing.size > 0 ? half : 0
    }
    // Less than a line is nothing yet; a single line without an end is read at the end only.
    const bytes = growing !== null && (growing.size > 0 || !last) ? growing : source
    const { opened, ...beside } = await openFile(bytes, 0, this.options, signal)
    // It may be read the next time; that it cannot is not known before it stays so.
    const failed = last ? undefined : beside.unreadable.find(({ code }) => code === 'read-error')
    if (opened.length === 0 && failed !== undefined) throw new Error(failed.message)
    return { opened, growing: bytes === growing ? growing : null, beside }
  }

  /** Reads the first records again, which are let go of once they were surveyed. */
  async sampleAgain(which: FollowedSource, signal: AbortSignal): Promise<OpenSource> {
    const { opened } = await openFile(which.open.source, 0, this.options, signal)
    const [only] = opened
    if (opened.length !== 1 || only === undefined) throw new Error(`${this.name} changed while it was read.`)
    return only
  }

  /** The file is there no longer, as it may have been at the last look. */
  vanish(): Examined {
    if (this.isGone) return UNCHANGED
    this.isGone = true
    if (this.sources.every(({ over }) => over)) return CHANGED
    for (const each of this.sources) each.over = true
    return { changed: true, notice: `${this.name} is gone. What was read of it stays counted.` }
  }

  /** Whether what was read of it no longer stands where it stood; null where nothing stands there. */
  async hasLeft(now: WatchedFile | null): Promise<boolean> {
    if (now === null) return true
    return now.stamp !== this.stamp && !(await this.isIn(now.source))
  }

  /** Whether a file begins with all that was read of this one. Nothing that cannot be read does, and of nothing read it cannot be told. */
  async isIn(source: ByteSource): Promise<boolean> {
    const seen = this.sources[0]?.seen ?? null
    return seen !== null && seen.until > 0 && (await holds(source, seen).catch(() => false))
  }

  /** It is read under its new name from now on: under the old one there may be another file. */
  private moveTo(source: ByteSource): void {
    for (const each of this.sources) {
      if (each.growing !== null) each.growing.moveTo(source)
      else if (each.open.source.name === this.name)
        each.open = { ...each.open, source: named(each.open.source, source.name) }
    }
    this.name = source.name
  }
}

/** The next record to be read, null for the first. */
export function positionOf({ growing, under, collected }: FollowedSource): ReadPosition | null {
  const batch = under === null || growing === null ? undefined : collected.sources[0]?.spans.at(-1)
  if (batch === undefined) return null
  const last = batch.offsets.length - 1
  return {
    byte: (batch.offsets[last] as number) + (batch.lengths[last] as number),
    record: batch.first + batch.offsets.length,
    line: batch.lines[last] as number,
  }
}

function followed(open: OpenSource, growing: GrowingBytes | null): FollowedSource {
  return {
    open,
    growing,
    firstRecord: open.sample[0]?.recordHash ?? null,
    settled: growing === null,
    surveyed: null,
    collected: new Collected(1, 0),
    under: null,
    over: false,
    seen: null,
    readTo: 0,
  }
}

function asEarlier(open: OpenSource, which: number): OpenSource {
  const source = named(open.source, `${open.source.name} (earlier${which > 1 ? ` ${which}` : ''})`)
  const notes = [...(open.container.notes ?? []), 'Another file took its place while it was followed.']
  return { ...open, source, container: { ...open.container, notes } }
}

function named(source: ByteSource, name: string): ByteSource {
  return Object.create(source, { name: { value: name } })
}

async function isLines(source: ByteSource): Promise<boolean> {
  return openContainer(source).then(
    ({ id }) => id === 'jsonl',
    () => false,
  )
}

async function noLine(source: ByteSource): Promise<boolean> {
  const bytes = new GrowingBytes(source.name, source)
  await bytes.grow(source)
  return bytes.size === 0
}

/** A last line without an end counts where it is whole. Gives the bytes of one that is not: it was being written when following ended. */
async function takeLastLine(growing: GrowingBytes): Promise<number> {
  const rest = await growing.rest()
  const spans = {
    first: 0,
    lines: Float64Array.of(1),
    offsets: Float64Array.of(0),
    lengths: Float64Array.of(rest.length),
  }
  const { records } = await decodeRecords({ decoder: 'json', spans, bytes: [rest] }, allNumericKeys)
  if (records.length === 0) return isBlank(rest) ? 0 : rest.length
  growing.takeRest()
  return 0
}

function isBlank(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes).trim() === ''
}
