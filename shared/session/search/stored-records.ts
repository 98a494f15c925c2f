import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { decodeRecords, type EncodedRecords, textAt } from '../../containers/decode.ts'
import type { StoredRecords } from '../../exports/export-kind.ts'
import { allNumericKeys } from '../../formats/registry.ts'
import { hashBytes } from '../../model/bulk-hash.ts'
import type { OpenSource } from '../opening/open-source.ts'
import { type Run, runsOf } from './read-again.ts'
import type { SearchOrigin } from './search.ts'

/** What it takes to read records again. */
type RecordOrigin = Pick<SearchOrigin, 'facts' | 'opened' | 'spans'>

/** Records that lie close together, with what is known of the rollouts that are wanted of them. */
interface RecordsAgain {
  readonly run: Run
  readonly rows: readonly TrajectoryFacts[]
  readonly open: OpenSource
  readonly encoded: EncodedRecords
}

/**
 * Reads the records of trajectories again, in the order of the report.
 *
 * @param indices ascending
 */
export async function* recordsAgain(
  origin: RecordOrigin,
  indices: readonly number[],
): AsyncGenerator<RecordsAgain, void, undefined> {
  const { facts } = origin
  let read = 0
  for (const run of runsOf(origin, Int32Array.from(indices), facts)) {
    const open = origin.opened[run.source] as OpenSource
    const rows = run.indices.map((index) => facts[index] as TrajectoryFacts)
    yield { run, rows, open, encoded: await open.container.read(run.spans) }
    read += rows.length
  }
  if (read < indices.length) throw new Error(`${indices.length - read} of the rollouts cannot be found again.`)
}

/**
 * The records of trajectories as their containers store them, as many at once as one reading gives. Nothing is audited: of text only
 * the hash is taken. Throws a sentence where a file changed since it was read.
 *
 * @param indices ascending
 */
export async function* storedRecords(
  origin: RecordOrigin,
  indices: readonly number[],
): AsyncGenerator<StoredRecords, void, undefined> {
  for await (const { run, rows, open, encoded: read } of recordsAgain(origin, indices)) {
    const encoded = read.decoder === 'joined' ? read.own : read
    const at = rows.map(({ place }) => place.record - run.spans.first)
    const hashOf = await hashesOf(encoded)
    const changed = rows.find(({ recordHash }, i) => hashOf(at[i] as number) !== recordHash)
    if (changed !== undefined) throw changedMeanwhile(open, changed)
    yield { indices: run.indices, at, encoded }
  }
}

/** @param because what is wrong with the record now */
export function changedMeanwhile({ source }: OpenSource, { place }: TrajectoryFacts, because?: string): Error {
  const why = because === undefined ? '' : ` (${because})`
  return new Error(
    `${source.name} changed while it was open: record ${place.record} is no longer what was read${why}. Open it again.`,
  )
}

/** The hash of a record by its number among those that were read; null where there is none. Text is not parsed for it. */
async function hashesOf(encoded: EncodedRecords): Promise<(at: number) => string | null> {
  if (encoded.decoder === 'json' || encoded.decoder === 'texts') {
    return (at) => {
      const text = textAt(encoded, at)
      return text === null ? null : hashBytes(text)
    }
  }
  const { records } = await decodeRecords(encoded, allNumericKeys)
  const hashes = new Map(records.map(({ record, hash }) => [record - encoded.spans.first, hash]))
  return (at) => hashes.get(at) ?? null
}
