/** What was thrown, in its own words. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A worker that scans ahead broke; `reason`: what it threw. */
export function readsSlower(reason: string): string {
  return `The thread that reads ahead stopped (${reason}). Nothing is lost, but reading takes longer.`
}
