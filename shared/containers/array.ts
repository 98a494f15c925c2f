import { type Boundary, ValueFinder } from './array-values.ts'
import { type ChunkOptions, type ContainerBytes, DamagedBytes } from './bytes.ts'
import type { RecordSpans } from './container.ts'
import { type BatchSizes, SpansBuilder } from './spans.ts'

/**
 * Finds the records of a JSON file: the elements of its array, or its one object (or several, one after the other, as
 * `jq .` writes them). Where the file is damaged, everything before is found, and one more record stands for the rest.
 */
export async function* indexValues(
  bytes: ContainerBytes,
  sizes: BatchSizes,
  options: ChunkOptions,
): AsyncGenerator<RecordSpans, void, undefined> {
  const builder = new SpansBuilder(sizes)
  const finder = new ValueFinder()
  const found: Boundary[] = []
  let damage: { code: string; message: string } | null = null
  try {
    for await (const chunk of bytes.chunks(options)) {
      finder.scan(chunk, found)
      for (const { start, end } of found) {
        const full = builder.add(start, end - start, 0)
        if (full !== null) yield full
      }
      found.length = 0
      if (finder.broken !== null) break
    }
    finder.finish(found)
    for (const { start, end } of found) {
      const full = builder.add(start, end - start, 0)
      if (full !== null) yield full
    }
    if (finder.broken !== null) damage = { code: 'bad-json', message: finder.broken }
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error
    damage = error
  }
  const rest = damage === null ? builder.finish() : builder.damage(finder.restStart, 0, damage.code, damage.message)
  if (rest !== null) yield rest
}
