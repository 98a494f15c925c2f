import { count, counted } from '../../model/number-text.ts'
import { forEachOf, type Steps } from '../../model/steps.ts'
import type { DumpReporter, DumpView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'

/** Rows of a file with the same system turn, and as much before it where it is there again. */
interface Alike {
  readonly restarting: TrajectoryFacts[]
  readonly running: TrajectoryFacts[]
}

/**
 * A row over whose further system turns the positions run on is a packed one like the others of its file, where more of these restart at the very same turn
 * behind the very same tokens. By itself it could be a conversation with a system turn that is there again (T09); so it could where as many rows run on
 * as restart. What the template writes between turns tells the two apart as well: a packer mostly joins rows without it.
 */
export function* lookAtSiblings({ facts }: DumpView, report: DumpReporter): Steps<void> {
  const kinds = new Map<string, Alike>()
  yield* forEachOf(new FactColumns(facts).having('systemAgain'), (row) => {
    const { systemAgain, systemHash, place } = row
    if (systemAgain === undefined || systemHash === null || systemHash === undefined) return
    const kind = `${place.source} ${systemAgain.gap} ${systemHash}`
    const alike = kinds.get(kind) ?? { restarting: [], running: [] }
    kinds.set(kind, alike)
    if (systemAgain.positions.every((position) => position === 0)) alike.restarting.push(row)
    else alike.running.push(row)
  })
  for (const { restarting, running } of kinds.values()) {
    if (restarting.length <= running.length) continue
    for (const member of running) {
      const { starts, positions, end } = member.systemAgain as NonNullable<TrajectoryFacts['systemAgain']>
      const [first, second] = starts as [number, ...number[]]
      report.unitAfterAll()
      report.fault({
        member,
        tokens: { start: first, end: second ?? end },
        message: `The position ids run on over ${counted(starts.length, 'document start')}: token ${count(first)} begins a document at position ${count(positions[0] as number)}, and in ${count(restarting.length)} other rows they restart at this system turn`,
        evidence: {
          document_starts: starts.slice(0, 16),
          leaking: starts.slice(0, 16),
          positions: positions.slice(0, 16).map((position) => [position - 1, position]),
          sequence_ids: null,
          restarting_rows: restarting.length,
          compared_with: restarting[0]?.id ?? null,
        },
      })
    }
  }
}
