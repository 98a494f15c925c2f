import type { TrajectoryFacts } from '../checks/facts.ts'
import type { FaultRows } from '../hypotheses/defects-evidence.ts'
import type { Finding } from '../model/report.ts'
import type { Place } from '../model/source.ts'
import { forEachOf, type Steps, within } from '../model/steps.ts'

/** The rollouts in which each code stands, what the policy intends excepted. A finding of the whole dump stands in all. */
export function* faultRows(
  facts: readonly TrajectoryFacts[],
  codes: readonly (readonly string[])[],
  dumpFindings: readonly Finding[],
): Steps<FaultRows> {
  const rows = new Map<string, Uint8Array>()
  const rowsOf = (code: string) => {
    let set = rows.get(code)
    if (set === undefined) rows.set(code, (set = new Uint8Array(facts.length)))
    return set
  }
  const add = (standing: readonly string[], row: number) => {
    for (const code of standing) rowsOf(code)[row] = 1
  }
  yield* within(0, 0.4, forEachOf(codes, add))
  const addFinding = (finding: Finding) => {
    if (finding.intended) return
    const set = rowsOf(finding.code)
    const places = placesOf(finding)
    if (places === null) set.fill(1)
    else for (const place of places) set[indexOfPlace(facts, place)] = 1
  }
  yield* within(0.4, 1, forEachOf(dumpFindings, addFinding))
  return rows
}

/** The rollouts that a finding names, null where it speaks of the whole dump. */
export function placesOf({ source, record, part, members }: Finding): readonly Place[] | null {
  return record === null ? members : [{ source, record, part: part ?? 0 }]
}

/** Where a trajectory stands in report order, -1 where it is not among them. */
export function indexOfPlace(facts: readonly TrajectoryFacts[], place: Place): number {
  // Most dumps are one file with a rollout in each record.
  const likely = facts[place.record]
  if (likely !== undefined && comparePlaces(likely.place, place) === 0) return place.record
  let low = 0
  let high = facts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (comparePlaces((facts[middle] as TrajectoryFacts).place, place) < 0) low = middle + 1
    else high = middle
  }
  const found = facts[low]
  return found !== undefined && comparePlaces(found.place, place) === 0 ? low : -1
}

function comparePlaces(a: Place, b: Place): number {
  return a.source - b.source || a.record - b.record || a.part - b.part
}
