import { readdirSync } from 'node:fs'

/** `<format>/<version>/<file>`, each with `<file>.expected.json` beside it. */
export const FIXTURES = new URL('../fixtures/formats/', import.meta.url)

/** Endings of files that are dumps: anything else in the folder (notes, metadata of a run) is none. */
const DUMPS = /\.(jsonl?|pt|pkl|bin|msgpack|arrow|parquet|zst|eval)$/

export const fixtureNames: readonly string[] = (readdirSync(FIXTURES, { recursive: true }) as string[])
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => DUMPS.test(name) && !name.endsWith('.expected.json'))
  .sort()

/** Dumps whose records have bytes of their own, which an export writes back. */
export function isText(name: string): boolean {
  return /\.jsonl?$/.test(name)
}
