import type { DecodedArray } from 'hyparquet/src/types.js'
import { partitionPoint } from '../../model/partition-point.ts'
import type { ByteSource } from '../../model/source.ts'
import { DamagedBytes } from '../bytes.ts'
import { joinBytes } from '../join-bytes.ts'
import { reasonOf } from '../reason.ts'
import { wholeBuffer } from '../whole-buffer.ts'
import { Allowance, type KeptValues } from './allowance.ts'
import {
  type ColumnLayout,
  checkDeclared,
  type DataPage,
  physicalLayout,
  readDataPage,
  readDictionary,
  readRepetition,
  rowsOfHeader,
  storedPage,
  weightOf,
} from './page.ts'
import { PageRows } from './page-rows.ts'

interface MappedPage {
  /** In the file. */
  readonly start: number
  readonly end: number
  /** Row of the row group that the page begins with. */
  readonly first: number
  /** False where it begins inside a row. */
  readonly fresh: boolean
  /** Decoded once, for all rows that are asked for. */
  readonly large: boolean
  readonly values: number
}

/** The rows of a column as they are handed on: stored pages that hold them, or the rows cut out of pages that are too large for that. */
export interface ColumnPages {
  /** The row that they begin with. */
  readonly first: number
  readonly bytes: Uint8Array
  readonly parts: readonly DataPage[] | null
}

/** Bytes read at a time while pages are found. */
const STEP_BYTES = 4 << 20

/** What is large, and what may be held. */
interface PageLimits {
  readonly sizes: { readonly page: number; readonly pageValues: number }
  /** Most bytes that a compressed page may have once decompressed. */
  readonly unpacked: number
  readonly kept: KeptValues
}

/**
 * Where the pages of one column lie, and which rows they hold: found as far as they are asked for, once. A page of lists in the
 * older layout says nothing of its rows, so that it must be decompressed.
 * `pagesOf` throws `DamagedBytes` where a page cannot be made out.
 */
export class PageMap {
  private readonly pages: MappedPage[] = []
  private dictionary: { readonly start: number; readonly end: number } | null = null
  private at: number
  private rows = 0
  private values = 0
  private turn: Promise<unknown> = Promise.resolve()
  private window = { start: 0, bytes: new Uint8Array(0) }
  private entries: DecodedArray | null = null
  /** Why no more pages can be made out: the next rows would come to the same place. */
  private broken: DamagedBytes | null = null
  /** Large pages that cannot be decoded, by their start. Many rows are asked for one after the other. */
  private readonly refused = new Map<number, DamagedBytes>()
  /** The large page that was decoded last: rows are asked for in order, or all from one place. */
  private decoded: { readonly start: number; readonly values: number; readonly rows: PageRows } | null = null

  constructor(
    private readonly source: ByteSource,
    private readonly layout: ColumnLayout,
    private readonly column: { readonly start: number; readonly end: number; readonly values: number },
    private readonly limits: PageLimits,
  ) {
    this.at = column.start
  }

  /** Rows `from` to `until`. Of a large row group that is many pages: `signal` ends it between two of them. */
  async pagesOf(from: number, until: number, signal?: AbortSignal): Promise<ColumnPages> {
    const found = this.turn.then(() => this.take(from, until, signal))
    this.turn = found.catch(() => undefined)
    return found
  }

  private async take(from: number, until: number, signal: AbortSignal | undefined): Promise<ColumnPages> {
    await this.mapUntil(until, signal)
    if (this.at >= this.column.end && from >= this.rows)
      throw damaged(`it has ${this.rows} rows, its row group more than ${from}`)
    let begin = Math.max(0, partitionPoint(this.pages.length, (i) => (this.pages[i] as MappedPage).first <= from) - 1)
    while (begin > 0 && !(this.pages[begin] as MappedPage).fresh) begin--
    let end = begin
    // A page that begins inside a row may hold the end of the last one.
    for (; end < this.pages.length; end++) {
      const { fresh, first } = this.pages[end] as MappedPage
      if (fresh && first >= until) break
    }
    const pages = this.pages.slice(begin, end)
    const [first] = pages
    if (first === undefined) return { bytes: new Uint8Array(0), first: 0, parts: null }
    if (pages.some(({ large }) => large)) {
      const parts: DataPage[] = []
      const stored = pages.reduce((sum, { start, end }) => sum + end - start, 0)
      const allowance = new Allowance(Number.POSITIVE_INFINITY, stored)
      for (const page of pages) {
        signal?.throwIfAborted()
        const part = (await this.rowsOf(page)).cut(from, until)
        made(() => allowance.takeValues(part.count * weightOf(this.layout)))
        parts.push(part)
      }
      return { bytes: new Uint8Array(0), first: from, parts }
    }
    const before = await this.dictionaryBytes()
    const data = await this.source.slice(first.start, (pages.at(-1) as MappedPage).end)
    const bytes = before.length === 0 ? wholeBuffer(data) : joinBytes([before, data])
    return { bytes, first: first.first, parts: null }
  }

  private async rowsOf(page: MappedPage): Promise<PageRows> {
    if (this.decoded?.start === page.start) return this.decoded.rows
    const before = this.refused.get(page.start)
    if (before !== undefined) throw before
    try {
      return await this.decode(page)
    } catch (error) {
      if (error instanceof DamagedBytes) this.refused.set(page.start, error)
      throw error
    }
  }

  private async decode(page: MappedPage): Promise<PageRows> {
    const stored = await this.source.slice(page.start, page.end)
    if (this.entries === null && this.dictionary !== null) {
      const bytes = await this.dictionaryBytes()
      this.entries = made(() => readDictionary(storedPage(bytes, 0).page, physicalLayout(this.layout)))
    }
    const values = page.values
    made(() => this.limits.kept.replace(this.decoded?.values ?? 0, values))
    const data = made(() => readDataPage(storedPage(stored, 0).page, physicalLayout(this.layout), this.entries))
    const rows = new PageRows(data, page.first, this.layout.maxDefinition)
    this.decoded = { start: page.start, values, rows }
    return rows
  }

  private async dictionaryBytes(): Promise<Uint8Array> {
    const { dictionary } = this
    return dictionary === null ? new Uint8Array(0) : this.source.slice(dictionary.start, dictionary.end)
  }

  private async mapUntil(row: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.broken !== null) throw this.broken
    try {
      await this.findPages(row, signal)
    } catch (error) {
      if (error instanceof DamagedBytes) this.broken = error
      throw error
    }
  }

  private async findPages(row: number, signal: AbortSignal | undefined): Promise<void> {
    // One page beyond: only it tells that the row before it is over.
    while (this.at < this.column.end && this.rows <= row) {
      signal?.throwIfAborted()
      const { page, length } = await this.nextPage()
      const values = made(() => checkDeclared(this.values, page, this.column.values))
      made(() => new Allowance(this.limits.unpacked, length).take(page, weightOf(this.layout)))
      const start = this.at
      this.at += length
      if (page.header.type === 'DICTIONARY_PAGE') {
        this.dictionary = { start, end: this.at }
        continue
      }
      if (page.header.type !== 'DATA_PAGE' && page.header.type !== 'DATA_PAGE_V2') continue
      this.values += values
      let rows = rowsOfHeader(page.header, this.layout)
      let fresh = true
      if (rows === null) {
        const levels = made(() => readRepetition(page, this.layout)) ?? []
        rows = 0
        for (let i = 0; i < levels.length; i++) if (levels[i] === 0) rows++
        fresh = levels.length === 0 || levels[0] === 0
      }
      this.pages.push({
        start,
        end: this.at,
        first: fresh ? this.rows : this.rows - 1,
        fresh,
        values,
        large: page.header.uncompressed_page_size > this.limits.sizes.page || values > this.limits.sizes.pageValues,
      })
      this.rows += rows
    }
  }

  private async nextPage() {
    for (let want = STEP_BYTES; ; want *= 2) {
      const { start, bytes } = this.window
      if (this.at >= start && this.at < start + bytes.length) {
        try {
          const { page, next } = storedPage(bytes, this.at - start)
          return { page, length: next - (this.at - start) }
        } catch (error) {
          // The window may only have cut it.
          if (start + bytes.length >= this.column.end) throw damaged(error)
        }
      }
      this.window = {
        start: this.at,
        bytes: new Uint8Array(await this.source.slice(this.at, Math.min(this.column.end, this.at + want))),
      }
      if (this.window.bytes.length === 0) throw damaged('a column is cut off')
    }
  }
}

function made<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw damaged(error)
  }
}

function damaged(error: unknown): DamagedBytes {
  return new DamagedBytes('damaged-parquet', reasonOf(error))
}
