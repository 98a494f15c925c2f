/**
 * Memory that may be shared, which V8 does not count as that of one thread: what ten million rollouts are sorted in, or numbered by, would else set
 * the collector to go through all that is kept of them, which takes longer than the sort. Counted on a page that is not isolated from others.
 */
export const uncounted = (bytes: number): ArrayBufferLike =>
  typeof SharedArrayBuffer === 'undefined' ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes)
