/** What was thrown, in its own words. */
export function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
