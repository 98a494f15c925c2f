/** A growing list of numbers: 32-bit integers for as long as every one is, doubles from then on. */
export class NumberBuffer {
  length = 0
  private values: Int32Array | Float64Array

  constructor(integers: boolean, capacity = 16) {
    this.values = integers ? new Int32Array(capacity) : new Float64Array(capacity)
  }

  /** Appends the first `count` of `source`; `integers` says that each fits 32 bits and was no float. */
  append(source: Float64Array, count: number, integers: boolean): void {
    if (!integers && this.values instanceof Int32Array) {
      const doubles = new Float64Array(Math.max(this.length + count, this.values.length))
      doubles.set(this.values.subarray(0, this.length))
      this.values = doubles
    }
    if (this.length + count > this.values.length) {
      const Kind = this.values instanceof Int32Array ? Int32Array : Float64Array
      const grown = new Kind(Math.max(this.length + count, Math.ceil(this.values.length * 1.5)))
      grown.set(this.values.subarray(0, this.length))
      this.values = grown
    }
    this.values.set(source.subarray(0, count), this.length)
    this.length += count
  }

  /** A view, valid until the next `append`. */
  view(): Int32Array | Float64Array {
    return this.values.subarray(0, this.length)
  }
}
