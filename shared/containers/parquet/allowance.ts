import type { DecodedArray } from 'hyparquet/src/types.js'
import { tooMuchHeld } from '../packed-bytes.ts'
import type { StoredPage } from './page.ts'

/** Values that rows which are read at once may have in all. */
export const MOST_VALUES = 1 << 25
/** So many of them whatever their bytes, and for each of these: a long run takes next to none. */
export const VALUES_WITHOUT_BYTES = 1 << 24
export const VALUES_OF_A_BYTE = 256
/** A value that is no number is an object beside its place, and counts as so many. */
export const VALUES_OF_AN_OBJECT = 2
/** Bytes or characters of texts that rows may have in all, and this many more for each byte of their pages: a dictionary gives one text again and again. */
const MOST_TEXT = 1 << 28
const MOST_TEXT_OF_A_BYTE = 64

/** What the columns of a piece may have in all; each of its pages may declare millions in a few bytes. */
export class Allowance {
  private values = 0
  private readonly most: number
  private bytes = 0
  private text = 0

  /**
   * @param unpacked the most bytes that its compressed pages may have once decompressed
   * @param stored bytes of its pages, as stored; absent where they are not at hand
   */
  constructor(
    private readonly unpacked: number,
    private readonly stored: number = MOST_VALUES,
  ) {
    this.most = Math.min(MOST_VALUES, VALUES_WITHOUT_BYTES + VALUES_OF_A_BYTE * stored)
  }

  /**
   * A page that is about to be read. Throws `RangeError` where it declares more than is left.
   *
   * @param weight how many values each of its values counts as
   */
  take({ header, bytes }: StoredPage, weight = 1): void {
    const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: dictionary } = header
    this.takeValues(((v1 ?? v2 ?? dictionary)?.num_values ?? 0) * weight)
    const { uncompressed_page_size: size } = header
    this.bytes += size
    if (size > bytes.length && this.bytes > this.unpacked) throw new RangeError(tooMuchHeld(this.bytes, this.unpacked))
  }

  takeValues(count: number): void {
    this.values += count
    if (this.values <= this.most) return
    throw new RangeError(
      this.most < MOST_VALUES
        ? `its pages declare more values than ${this.stored} bytes hold in any dump`
        : `its pages declare more than ${MOST_VALUES} values for rows that are read at once. Write smaller row groups and pages.`,
    )
  }

  /** The values of a page, where they are texts. */
  takeTexts(values: DecodedArray): void {
    if (!Array.isArray(values)) return
    for (const value of values) if (typeof value === 'string' || value instanceof Uint8Array) this.text += value.length
    const most = MOST_TEXT + MOST_TEXT_OF_A_BYTE * this.bytes
    if (this.text > most) {
      throw new RangeError(
        `its texts have more than ${most} characters, given again and again by pages of ${this.bytes} bytes. Write smaller row groups.`,
      )
    }
  }
}

/** Values of large pages that are kept decoded, over all columns of a row group. */
export class KeptValues {
  private kept = 0

  /** @param fileBytes bytes of the file: pages whose values take bytes may have more */
  constructor(private readonly fileBytes: number) {}

  /** One page takes the place of another. Throws `RangeError` where they have too many values together. */
  replace(before: number, after: number): void {
    const kept = this.kept - before + after
    const most = 2 * MOST_VALUES + 4 * this.fileBytes
    if (kept > most) {
      throw new RangeError(
        `pages of ${kept} values would be held at once, ${most} are in a file of ${this.fileBytes} bytes. Write smaller pages.`,
      )
    }
    this.kept = kept
  }
}
