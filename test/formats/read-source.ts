import type { JsonValue } from '../../shared/containers/container.ts'
import { decodeRecords, type EncodedRecords } from '../../shared/containers/decode.ts'
import { openContainer } from '../../shared/containers/open.ts'
import type { Recognition } from '../../shared/formats/format.ts'
import { allNumericKeys, recogniseFormat } from '../../shared/formats/registry.ts'
import type { ByteSource, SkippedRecord } from '../../shared/model/source.ts'
import type { Trajectory } from '../../shared/model/trajectory.ts'

export interface ReadSource {
  readonly container: string
  readonly format: string | null
  readonly recognition: Recognition | null
  readonly records: number
  readonly trajectories: readonly Trajectory[]
  readonly skipped: readonly SkippedRecord[]
  readonly drift: Readonly<Record<string, number>>
}

interface ReadOptions {
  readonly sampleRecords?: number
  /** What happens to records on their way to the format. */
  readonly hand?: (records: EncodedRecords) => EncodedRecords
}

/** A whole source, read as a session reads it: container, recognition by the first records, then everything. */
export async function readSource(
  source: ByteSource,
  { sampleRecords = 64, hand = (records) => records }: ReadOptions = {},
): Promise<ReadSource> {
  const container = await openContainer(source)
  const sample: JsonValue[] = []
  const skipped: SkippedRecord[] = []
  const trajectories: Trajectory[] = []
  const drift: Record<string, number> = {}
  for await (const spans of container.index()) {
    const { records } = await decodeRecords(hand(await container.read(spans)), allNumericKeys)
    sample.push(...records.slice(0, sampleRecords - sample.length).map(({ value }) => value))
    if (sample.length >= sampleRecords) break
  }
  const { metadata } = container
  const known = recogniseFormat({ records: sample, metadata })
  let count = 0
  for await (const spans of container.index()) {
    const parsed = await decodeRecords(hand(await container.read(spans)), allNumericKeys)
    skipped.push(...parsed.skipped)
    if (known === null) continue
    const read = known.format.read(parsed.records, { source: 0, recognition: known.recognition, metadata })
    count += parsed.records.length - read.skipped.length
    trajectories.push(...read.trajectories)
    skipped.push(...read.skipped)
    for (const [field, { records }] of read.unknownFields) drift[field] = (drift[field] ?? 0) + records
  }
  return {
    container: container.id,
    format: known?.format.id ?? null,
    recognition: known?.recognition ?? null,
    records: count,
    trajectories,
    skipped: skipped.sort((a, b) => a.record - b.record),
    drift,
  }
}

/** Names of the streams that some trajectory carries, for people. */
export function streamsIn(trajectories: readonly Trajectory[]): string[] {
  const names = new Set<string>()
  for (const trajectory of trajectories) {
    for (const [name, value] of Object.entries(trajectory)) {
      if (name === 'logprobs') {
        for (const [policy, logprobs] of Object.entries(trajectory.logprobs))
          if (logprobs !== null) names.add(`logprobs.${policy}`)
      } else if (
        value !== null &&
        !['place', 'recordHash', 'id', 'mayBeBranch', 'noneDue', 'excluded', 'arrays', 'issues', 'meta'].includes(name)
      )
        names.add(name)
    }
  }
  return [...names].sort()
}
