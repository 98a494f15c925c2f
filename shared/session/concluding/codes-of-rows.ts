import type { Severity } from '../../model/report.ts'
import { type CodeLists, SEVERITY_RANKS } from '../../query/values.ts'

/** The codes that stand in each rollout and the gravest of its findings, five bytes a rollout: what is systematic stands in every one. */
export class CodesOfRows {
  rows = 0
  /** Lists that were met. */
  private readonly met: (readonly string[])[] = []
  private readonly numbersByList = new Map<string, number>()
  private numbers = new Int32Array(0)
  private ranks = new Uint8Array(0)

  /** Those of the next rollout, sorted, each once. */
  add(codes: readonly string[], worst: Severity | null): void {
    if (this.rows === this.numbers.length) this.grow()
    this.numbers[this.rows] = this.numberOf(codes)
    this.ranks[this.rows] = SEVERITY_RANKS.indexOf(worst ?? 'none')
    this.rows++
  }

  /** Of a row that there is not none. */
  at(row: number): readonly string[] {
    return row < this.rows ? (this.met[this.numbers[row] as number] as readonly string[]) : []
  }

  worstAt(row: number): Severity | null {
    const rank = row < this.rows ? SEVERITY_RANKS[this.ranks[row] as number] : undefined
    return rank === undefined || rank === 'none' ? null : rank
  }

  all(): (readonly string[])[] {
    return Array.from({ length: this.rows }, (_, row) => this.at(row))
  }

  /** By row, as places in `SEVERITY_RANKS`; the caller's own. */
  worstRanks(): Uint8Array {
    return this.ranks.slice(0, this.rows)
  }

  lists(): CodeLists {
    return { lists: this.met, at: this.numbers.subarray(0, this.rows) }
  }

  private numberOf(codes: readonly string[]): number {
    const key = codes.join()
    const known = this.numbersByList.get(key)
    if (known !== undefined) return known
    const number = this.met.push(codes) - 1
    if (this.numbersByList.size < MOST_LISTS) this.numbersByList.set(key, number)
    return number
  }

  private grow(): void {
    const rows = Math.max(FIRST_ROWS, 2 * this.rows)
    const [numbers, ranks] = [new Int32Array(rows), new Uint8Array(rows)]
    numbers.set(this.numbers)
    ranks.set(this.ranks)
    this.numbers = numbers
    this.ranks = ranks
  }
}

const FIRST_ROWS = 1 << 10

const MOST_LISTS = 1 << 12
