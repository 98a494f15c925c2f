import type { JsonObject } from '../containers/container.ts'
import { isObject } from './fields.ts'
import type { Recognition, Sample } from './format.ts'

/** Below this share of the sample a layout is not the file's: a few damaged records are no other format. */
const ENOUGH = 0.5

/** What one record showed of a layout. */
export interface Evidence {
  readonly confidence: number
  readonly seen: string
  readonly version?: string
}

/** Asks `look` of every record of the sample. The first record that shows the layout speaks for it, the share of those that do scales it. */
export function recogniseBy(sample: Sample, look: (record: JsonObject) => Evidence | null): Recognition | null {
  let shown = 0
  let best: Evidence | null = null
  for (const record of sample.records) {
    const evidence = isObject(record) ? look(record) : null
    if (evidence === null) continue
    shown++
    if (best === null || evidence.confidence > best.confidence) best = evidence
  }
  const share = sample.records.length === 0 ? 0 : shown / sample.records.length
  if (best === null || share < ENOUGH) return null
  return {
    confidence: Math.round(best.confidence * share * 1000) / 1000,
    evidence: [best.seen, ...(share < 1 ? [`in ${shown} of the first ${sample.records.length} records`] : [])],
    version: best.version ?? null,
  }
}

export function hasAll(record: JsonObject, keys: readonly string[]): boolean {
  return keys.every((key) => Object.hasOwn(record, key))
}
