import { MOST_METADATA_BYTES, readRunMetadata } from '../formats/run-metadata/read-metadata.ts'
import { NO_RUN, type RunFacts, type SourceRun, withRun } from '../formats/run-metadata/run-facts.ts'
import { stepOfName } from '../formats/run-metadata/step-of-name.ts'
import type { LogReport } from '../model/report.ts'
import type { ByteSource } from '../model/source.ts'
import type { OpenSource } from './open-source.ts'

/** A file that describes the run of the dumps beside it. */
export interface RunDescription {
  readonly name: string
  readonly facts: RunFacts
}

/** What a file that holds no rollouts says of the run, and how a report lists it; null where it says nothing. */
export async function openRunMetadata(
  source: ByteSource,
): Promise<{ readonly description: RunDescription; readonly report: LogReport } | null> {
  if (source.size > MOST_METADATA_BYTES) return null
  const { name, size } = source
  const metadata = await source.slice(0, size).then(readRunMetadata, () => null)
  if (metadata === null) return null
  const { title, evidence, facts } = metadata
  const { model, groupSize, limits } = facts
  const notes = [
    ...(model === null ? [] : [`model ${model}`]),
    ...(groupSize === null ? [] : [`group size ${groupSize}`]),
    ...Object.entries(limits).map(([limit, value]) => `${limit} ${value}`),
  ]
  return {
    description: { name, facts },
    report: { name, bytes: size, kind: 'metadata', title, evidence, notes, series: [], others: [] },
  }
}

/**
 * Sources with what their names and the files beside them say of the run. A description holds for the files in its folder and below; the
 * nearest speaks. Of several in one folder that whose name begins as the file's does (`a.metadata.json`, `a.results.jsonl`).
 */
export function inTheirRun(opened: readonly OpenSource[], descriptions: readonly RunDescription[]): OpenSource[] {
  return opened.map((open) => {
    const { name } = open.source
    const facts = describing(name, descriptions)?.facts
    const run: SourceRun = { ...NO_RUN, ...facts, step: stepOfName(name) }
    return { ...open, run, sample: open.sample.map((trajectory) => withRun(trajectory, run)) }
  })
}

/** The one of several descriptions that speaks for a file; null where none does. */
export function describing<Description extends { readonly name: string; readonly facts: unknown }>(
  name: string,
  descriptions: readonly Description[],
): Description | null {
  const above = descriptions.filter((each) => name.startsWith(folderOf(each.name)))
  const deepest = Math.max(...above.map((each) => folderOf(each.name).length))
  const nearest = above.filter((each) => folderOf(each.name).length === deepest)
  const [only] = nearest
  if (nearest.length === 1 && only !== undefined) return only
  const own = nearest.filter((each) => stemOf(each.name) !== '' && name.slice(deepest).startsWith(stemOf(each.name)))
  if (own.length > 0) return own.reduce((a, b) => (stemOf(b.name).length > stemOf(a.name).length ? b : a))
  // Several that say the same are as good as one.
  return nearest.every((each) => JSON.stringify(each.facts) === JSON.stringify(only?.facts)) ? (only ?? null) : null
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1)
}

/** What stands before the words that make a file a description. */
function stemOf(name: string): string {
  return (name.split('/').at(-1) as string).replace(/[._-]?(metadata|meta|config|info)\b.*$/i, '')
}
