/**
 * Finds rows that have the same numbers, in arrays: a map of texts takes ten times as much memory for as many rows, all of it the
 * collector's to look at.
 */
export class LikeRows {
  /** Rows by where their numbers lead, each plus one; 0 is a free place. */
  private readonly places: Int32Array
  /** Of another run others: rows that lead to one place cannot be made up. */
  private readonly seed = Math.floor(Math.random() * 0x1_0000_0000)

  /** @param keys what is compared: one number of each row in each */
  constructor(private readonly keys: readonly Uint32Array[]) {
    const rows = keys[0]?.length ?? 0
    this.places = new Int32Array(1 << Math.max(4, 32 - Math.clz32(rows + (rows >> 1))))
  }

  /** The first row that was asked for and has the numbers of this one: itself where none before it had. */
  firstLike(row: number): number {
    const last = this.places.length - 1
    for (let place = this.placeOf(row) & last; ; place = (place + 1) & last) {
      const found = (this.places[place] as number) - 1
      if (found < 0) {
        this.places[place] = row + 1
        return row
      }
      if (this.areAlike(found, row)) return found
    }
  }

  private placeOf(row: number): number {
    let mixed = this.seed
    for (const key of this.keys) {
      mixed = Math.imul(mixed ^ (key[row] as number), 0x85ebca6b)
      mixed ^= mixed >>> 15
    }
    return mixed
  }

  private areAlike(a: number, b: number): boolean {
    for (const key of this.keys) if (key[a] !== key[b]) return false
    return true
  }
}
