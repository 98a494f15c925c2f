import type { ByteSource } from '../../model/source.ts'
import { DamagedBytes } from '../bytes.ts'
import { wholeBuffer } from '../whole-buffer.ts'
import { type ColumnLayout, readRepetition, rowsOfHeader, storedPage } from './page.ts'

interface MappedPage {
  /** In the file. */
  readonly start: number
  readonly end: number
  /** Row of the row group that the page begins with. */
  readonly first: number
  /** False where it begins inside a row. */
  readonly fresh: boolean
}

/** Bytes read at a time while pages are found. */
const STEP_BYTES = 4 << 20

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
  private turn: Promise<unknown> = Promise.resolve()
  private window = { start: 0, bytes: new Uint8Array(0) }

  constructor(
    private readonly source: ByteSource,
    private readonly layout: ColumnLayout,
    start: number,
    private readonly end: number,
  ) {
    this.at = start
  }

  /** The dictionary page and the pages with rows `from` to `until`; `first` is the row that these begin with. */
  async pagesOf(from: number, until: number): Promise<{ readonly bytes: Uint8Array; readonly first: number }> {
    const found = this.turn.then(() => this.mapUntil(until))
    this.turn = found.catch(() => undefined)
    await found
    let begin = this.lastAtOrBefore(from)
    while (begin > 0 && !(this.pages[begin] as MappedPage).fresh) begin--
    let end = begin
    // A page that begins at row `until` may still hold the end of the row before it.
    while (
      end < this.pages.length &&
      !((this.pages[end] as MappedPage).fresh && (this.pages[end] as MappedPage).first >= until)
    )
      end++
    const first = this.pages[begin]
    const last = this.pages[end - 1]
    if (first === undefined || last === undefined) return { bytes: new Uint8Array(0), first: 0 }
    const { dictionary } = this
    const before = dictionary === null ? new Uint8Array(0) : await this.source.slice(dictionary.start, dictionary.end)
    const data = await this.source.slice(first.start, last.end)
    if (before.length === 0) return { bytes: wholeBuffer(data), first: first.first }
    const bytes = new Uint8Array(before.length + data.length)
    bytes.set(before)
    bytes.set(data, before.length)
    return { bytes, first: first.first }
  }

  private lastAtOrBefore(row: number): number {
    let low = 0
    let high = this.pages.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.pages[middle] as MappedPage).first <= row) low = middle
      else high = middle - 1
    }
    return Math.max(low, 0)
  }

  private async mapUntil(row: number): Promise<void> {
    // One page beyond: only it tells that the row before it is over.
    while (this.at < this.end && this.rows <= row) {
      const { page, length } = await this.nextPage()
      const start = this.at
      this.at += length
      if (page.header.type === 'DICTIONARY_PAGE') {
        this.dictionary = { start, end: this.at }
        continue
      }
      if (page.header.type !== 'DATA_PAGE' && page.header.type !== 'DATA_PAGE_V2') continue
      let rows = rowsOfHeader(page.header, this.layout)
      let fresh = true
      if (rows === null) {
        const levels = made(() => readRepetition(page, this.layout)) ?? []
        rows = 0
        for (let i = 0; i < levels.length; i++) if (levels[i] === 0) rows++
        fresh = levels.length === 0 || levels[0] === 0
      }
      this.pages.push({ start, end: this.at, first: fresh ? this.rows : this.rows - 1, fresh })
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
          if (start + bytes.length >= this.end) throw damaged(error)
        }
      }
      this.window = {
        start: this.at,
        bytes: new Uint8Array(await this.source.slice(this.at, Math.min(this.end, this.at + want))),
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
  return new DamagedBytes('damaged-parquet', error instanceof Error ? error.message : String(error))
}
