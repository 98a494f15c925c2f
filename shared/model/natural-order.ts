/** Made for the first two names: it takes a hundredth of a second, and most runs are one file. */
let collator: Intl.Collator | null = null

/**
 * Order of file names as people count: `step_2` before `step_10`. Paths are compared folder by folder. Not that of words in queries
 * (`query/word-order.ts`), by which ids of millions are ranked at once: names are few, a file manager beside the window sorts them by accents and
 * punctuation as well, and no two different ones may be equal.
 */
export function inNaturalOrder(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')]
  const shared = Math.min(left.length, right.length)
  for (let i = 0; i < shared; i++) {
    const [one, other] = [left[i] as string, right[i] as string]
    // Names that a collator takes for the same (`01` and `1`) still have an order of their own.
    const order =
      (collator ??= new Intl.Collator('en', { numeric: true })).compare(one, other) ||
      (one < other ? -1 : one > other ? 1 : 0)
    if (order !== 0) return order
  }
  return left.length - right.length
}
