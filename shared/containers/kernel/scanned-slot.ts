/** Arrays of numbers that another thread scanned in a slot of memory that it shares with this one. */
export interface ScannedSlot {
  readonly slot: number
  /** Bytes from the start of the slot to those that were scanned, and how many these are. */
  readonly start: number
  readonly length: number
  /** Of each array as many numbers as `ARRAY` says. */
  readonly arrays: Int32Array
}

/** Where in the numbers of an array what of it is told. */
export const ARRAY = {
  /** The offset of its bracket, and that behind it. */
  at: 0,
  next: 1,
  /** The number in the slot that it begins with, and how many it has. */
  first: 2,
  count: 3,
  /** The largest without a sign. */
  most: 4,
  /** 1 where it was hashed, and the lanes of that hash. */
  isHashed: 5,
  low: 6,
  high: 7,
  /**
   * Bytes from the start of the slot's numbers to what lies beside it: of an array of 0 and 1 each number as a byte, of others the largest of each 64 and
   * behind those the sums of each 64 under what is known of ids; -1 where there was no room for it.
   */
  beside: 8,
  /** The number in the slot behind both. */
  end: 9,
  /** Under what of ids the sums are (`KnownIds.generation`); -1 where there are none. */
  knowledge: 10,
  /** How many these are. */
  numbers: 11,
} as const
