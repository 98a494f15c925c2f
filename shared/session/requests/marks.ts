/** What the page asks about marks that people left on records; they hang on content, the engine knows where that stands. */
export interface MarkRequests {
  /** Where these records stand in the open dump; `keys` are `recordHash.part`. The same content may stand in several places. */
  findRecords: {
    input: { keys: readonly string[] }
    /** For each place found, in report order: the rollout's index, and the position of its key in `keys`. */
    output: { indices: Int32Array; positions: Int32Array }
  }
  /** What marks on these rollouts would hang on: an entry for each of `indices` that the dump has, in their order. */
  recordsOf: {
    input: { indices: Int32Array }
    output: { records: readonly { readonly recordHash: string; readonly part: number; readonly id: string }[] }
  }
}
