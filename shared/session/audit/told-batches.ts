import { looseFacts } from '../../checks/facts/batch-facts.ts'
import type { ParsedRecords, RecordSpans, ToldRecords } from '../../containers/container.ts'
import type { ReadResult } from '../../formats/format.ts'
import type { SourceRun } from '../../formats/run-metadata/run-facts.ts'
import { withRun } from '../../formats/run-metadata/run-facts.ts'
import type { SkippedRecord } from '../../model/source.ts'
import type { Stream } from '../../model/streams.ts'
import { emptyTrajectory } from '../../model/trajectory.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'
import { driftOf } from '../concluding/source-drift.ts'
import { emptyTotals } from './collected.ts'
import type { AuditJob, BatchResult } from './plan.ts'
import { streamsOf } from './streams.ts'

/**
 * What was found of a source when it was read for its keys. A batch of which every rollout turns out to be told with another source need
 * not be decoded once more for what it carries and what is wrong with it.
 */
export class ToldBatches {
  private readonly batches = new Map<number, KnownBatch>()

  add(spans: RecordSpans, { records, skipped }: ParsedRecords, read: ReadResult, run: SourceRun): void {
    const streams = new Set<Stream>()
    for (const trajectory of read.trajectories) {
      for (const stream of streamsOf(withRun(trajectory, run), null)) streams.add(stream)
    }
    this.batches.set(spans.first, {
      count: spans.offsets.length,
      rollouts: read.trajectories.length,
      told: {
        records: records.length - read.skipped.length,
        skipped: inOrder([...skipped, ...read.skipped]),
        drift: driftOf(read, records),
        streams: [...streams],
      },
    })
  }

  /** @param told how many of the rollouts of these records are told with others; null unless these are a whole batch, and that many all. */
  whole({ first, offsets }: RecordSpans, told: number): ToldRecords | null {
    const batch = this.batches.get(first)
    return batch?.count === offsets.length && batch.rollouts === told ? batch.told : null
  }
}

interface KnownBatch {
  readonly count: number
  readonly rollouts: number
  readonly told: ToldRecords
}

/** What auditing such a batch gives. */
export function toldBatch(
  { job, source }: Pick<AuditJob, 'job' | 'source'>,
  { records, skipped, drift, streams }: ToldRecords,
  tokenizer: Tokenizer | null,
): BatchResult {
  const ofTokenizer = streamsOf(emptyTrajectory({ source, record: 0, part: 0 }, ''), tokenizer)
  return {
    job,
    source,
    records,
    facts: looseFacts([]),
    findings: [],
    counted: null,
    skipped,
    drift,
    // Without rollouts a source carries nothing.
    streams: streams.length === 0 ? [] : [...new Set([...streams, ...ofTokenizer])],
    tallies: {},
    totals: emptyTotals(),
    boundaries: {},
  }
}

function inOrder(skipped: readonly SkippedRecord[]): SkippedRecord[] {
  return skipped.toSorted((a, b) => a.record - b.record)
}
