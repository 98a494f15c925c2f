import type { JsonValue } from '../containers/container.ts'

/** How far around a position neighbours are compared when two numbers of the source round to the same float. */
const NEIGHBOURS = 8

interface NumberPlace {
  readonly array: ArrayLike<number>
  readonly at: number
}

/**
 * Gives the numbers of a record back in full. Streams are kept as 32-bit floats; an export must not write those rounded
 * copies. All arrays of numbers of the record are pooled, and each float of a stream is looked up among the doubles
 * that round to it; where several do, the one whose neighbours fit the stream best is taken. A number that the record
 * does not hold (an importer derived it) stays the float's own value.
 */
export class SourceNumbers {
  private readonly arrays: ArrayLike<number>[] = []
  private readonly exact = new Map<number, number>()
  private readonly ambiguous = new Set<number>()
  private places: Map<number, NumberPlace[]> | null = null

  constructor(record: JsonValue) {
    this.collect(record)
    for (const array of this.arrays) {
      for (let i = 0; i < array.length; i++) {
        const value = array[i]!
        const rounded = Math.fround(value)
        const known = this.exact.get(rounded)
        if (known === undefined) this.exact.set(rounded, value)
        else if (known !== value) this.ambiguous.add(rounded)
      }
    }
  }

  /** The doubles behind a stream of length S; NaN stays NaN. */
  restore(stream: Float32Array): Float64Array {
    const numbers = new Float64Array(stream.length)
    for (let i = 0; i < stream.length; i++) {
      const value = stream[i]!
      // Zero keeps its sign; NaN is never in the pool.
      if (value === 0 || Number.isNaN(value)) numbers[i] = value
      else if (this.ambiguous.has(value)) numbers[i] = this.bestNeighbourhood(stream, i)
      else numbers[i] = this.exact.get(value) ?? value
    }
    return numbers
  }

  /** The first of the doubles whose neighbours are most like those of the stream. */
  private bestNeighbourhood(stream: Float32Array, at: number): number {
    const value = stream[at]!
    let most = 0
    for (let k = -NEIGHBOURS; k <= NEIGHBOURS; k++) if (!Number.isNaN(stream[at + k] ?? Number.NaN)) most++
    let best = value
    let bestScore = -1
    for (const { array, at: p } of this.placesOf(value)) {
      let score = 0
      for (let k = -NEIGHBOURS; k <= NEIGHBOURS; k++) {
        const near = array[p + k]
        if (near !== undefined && Math.fround(near) === stream[at + k]) score++
      }
      if (score > bestScore) {
        best = array[p]!
        bestScore = score
      }
      if (score === most) break
    }
    return best
  }

  /** Where doubles stand that round to an ambiguous float: looked up once, since each entry of a long stream may be one. */
  private placesOf(value: number): readonly NumberPlace[] {
    if (this.places === null) {
      this.places = new Map(Array.from(this.ambiguous, (float) => [float, []]))
      for (const array of this.arrays) {
        for (let i = 0; i < array.length; i++) this.places.get(Math.fround(array[i]!))?.push({ array, at: i })
      }
    }
    return this.places.get(value) ?? []
  }

  private collect(value: JsonValue): void {
    if (value === null || typeof value !== 'object') return
    if (value instanceof Int32Array) return
    if (value instanceof Float64Array) {
      this.arrays.push(value)
      return
    }
    if (!Array.isArray(value)) {
      for (const item of Object.values(value)) this.collect(item)
      return
    }
    // A list of records with a number each (one log probability per token object) is read in order, field by field.
    const numbers: number[] = []
    const fields = new Map<string, number[]>()
    for (const item of value) {
      if (typeof item === 'number') numbers.push(item)
      else if (item !== null && typeof item === 'object') {
        this.collect(item)
        if (!Array.isArray(item) && !ArrayBuffer.isView(item)) gather(item, fields)
      }
    }
    if (numbers.length > 0) this.arrays.push(numbers)
    this.arrays.push(...fields.values())
  }
}

function gather(item: { [key: string]: JsonValue }, fields: Map<string, number[]>): void {
  for (const [key, value] of Object.entries(item)) {
    if (typeof value !== 'number') continue
    const numbers = fields.get(key)
    if (numbers === undefined) fields.set(key, [value])
    else numbers.push(value)
  }
}
