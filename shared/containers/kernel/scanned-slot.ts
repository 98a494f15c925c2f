/** Arrays of numbers that another thread scanned in a slot of memory that it shares with this one. */
export interface ScannedSlot {
  readonly slot: number
  /** Bytes from the start of the slot to those that were scanned, and how many these are. */
  readonly start: number
  readonly length: number
  /** Of each array five numbers: the offset of its bracket, that behind it, the number in the slot it begins with, how many it has, and the largest without a sign. */
  readonly arrays: Int32Array
}
