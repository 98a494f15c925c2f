import { packingOf } from '../../containers/open.ts'
import { packedBytes, unpackedLimit } from '../../containers/packed-bytes.ts'
import { unpackedSource } from '../../containers/unpacked-source.ts'
import { readRunLog } from '../../formats/run-logs/registry.ts'
import type { LogReport } from '../../model/report.ts'
import { RUN_METRICS, type RunLog } from '../../model/run-log.ts'
import type { ByteSource } from '../../model/source.ts'

const HEAD_BYTES = 1 << 16

/** What a file that holds no rollouts says as a log of the run; null where it is none. Throws the signal's reason. */
export async function openRunLog(
  source: ByteSource,
  { maxUnpacked, signal }: { readonly maxUnpacked: number | null; readonly signal?: AbortSignal },
): Promise<LogReport | null> {
  try {
    const packing = await packingOf(await source.slice(0, HEAD_BYTES))
    const plain =
      packing === null
        ? source
        : await unpackedSource(
            source.name,
            packedBytes(source, packing, { most: unpackedLimit(source, maxUnpacked) }),
            signal,
          )
    const log = await readRunLog(plain, signal)
    return log === null ? null : logReport(source, log)
  } catch {
    signal?.throwIfAborted()
    // Why it cannot be read as a dump is known, and stands in the report.
    return null
  }
}

function logReport({ name, size }: ByteSource, { kind, title, evidence, notes, series }: RunLog): LogReport {
  return {
    name,
    bytes: size,
    kind,
    title,
    evidence,
    notes: [...notes],
    series: RUN_METRICS.flatMap((metric) => {
      const known = series.find((each) => each.metric === metric)
      if (known === undefined) return []
      const values = Array.from(known.values, (value) => (Number.isFinite(value) ? value : null))
      return [{ name: known.name, metric, steps: Array.from(known.steps), values }]
    }),
    others: series.flatMap(({ name: own, metric }) => (metric === null ? [own] : [])),
  }
}
