import { FactColumns } from '../../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import type { FaultRows } from '../../hypotheses/defects-evidence.ts'
import type { Finding } from '../../model/report.ts'
import type { Place } from '../../model/source.ts'
import { forEachOf, type Steps, within } from '../../model/steps.ts'

/** By rollout, which findings of groups and of the whole dump name it: those of rollout i are `found[offsets[i]]` to `found[offsets[i + 1]]`, exclusive. */
export interface NamedRows {
  /** As long as the last rollout that is named asks for. */
  readonly offsets: Uint32Array
  /** Places among these findings. */
  readonly found: Int32Array
}

/**
 * The rollouts in which each code stands, what the policy intends excepted, and those that findings name. A finding that names none stands
 * in all.
 */
export function* faultRows(
  facts: readonly TrajectoryFacts[],
  codes: readonly (readonly string[])[],
  dumpFindings: readonly Finding[],
): Steps<{ readonly faults: FaultRows; readonly named: NamedRows }> {
  const faults = new Map<string, Uint8Array>()
  const rowsOf = (code: string) => {
    let set = faults.get(code)
    if (set === undefined) faults.set(code, (set = new Uint8Array(facts.length)))
    return set
  }
  const add = (standing: readonly string[], row: number) => {
    for (const code of standing) rowsOf(code)[row] = 1
  }
  yield* within(0, 0.4, forEachOf(codes, add))
  const named = yield* within(0.4, 1, namedRows(facts, dumpFindings, rowsOf))
  return { faults, named }
}

function* namedRows(
  facts: readonly TrajectoryFacts[],
  dumpFindings: readonly Finding[],
  rowsOf: (code: string) => Uint8Array,
): Steps<NamedRows> {
  if (dumpFindings.length === 0) return { offsets: new Uint32Array(1), found: new Int32Array(0) }
  const index = new PlaceIndex(facts)
  yield 0
  const pairs = new Pairs()
  const addFinding = (finding: Finding, number: number) => {
    const places = placesOf(finding)
    const set = finding.intended ? null : rowsOf(finding.code)
    if (places === null) set?.fill(1)
    else {
      for (const place of places) {
        const row = index.of(place)
        if (row < 0) continue
        if (set !== null) set[row] = 1
        pairs.add(row, number)
      }
    }
  }
  yield* forEachOf(dumpFindings, addFinding)
  return pairs.byRow()
}

/** Which finding names which row, in the order of findings. */
class Pairs {
  private rows = new Int32Array(1 << 10)
  private findings = new Int32Array(1 << 10)
  private count = 0
  private last = -1

  add(row: number, finding: number): void {
    if (this.count === this.rows.length) {
      const [rows, findings] = [new Int32Array(2 * this.count), new Int32Array(2 * this.count)]
      rows.set(this.rows)
      findings.set(this.findings)
      this.rows = rows
      this.findings = findings
    }
    this.rows[this.count] = row
    this.findings[this.count++] = finding
    this.last = Math.max(this.last, row)
  }

  byRow(): NamedRows {
    const rows = this.rows.subarray(0, this.count)
    const offsets = new Uint32Array(this.last + 2)
    for (let i = 0; i < rows.length; i++) {
      const after = (rows[i] as number) + 1
      offsets[after] = (offsets[after] as number) + 1
    }
    for (let row = 0; row <= this.last; row++) {
      offsets[row + 1] = (offsets[row + 1] as number) + (offsets[row] as number)
    }
    const next = offsets.slice()
    const found = new Int32Array(this.count)
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      found[next[row] as number] = this.findings[i] as number
      next[row] = (next[row] as number) + 1
    }
    return { offsets, found }
  }
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

/** The same for very many places: what is compared is read from the columns of facts once. */
class PlaceIndex {
  private readonly sources: Float64Array
  private readonly records: Float64Array
  private readonly parts: Float64Array

  constructor(facts: readonly TrajectoryFacts[]) {
    const columns = new FactColumns(facts)
    this.sources = columns.numbers('place', 'source')
    this.records = columns.numbers('place', 'record')
    this.parts = columns.numbers('place', 'part')
  }

  of(place: Place): number {
    if (this.compare(place.record, place) === 0) return place.record
    let low = 0
    let high = this.records.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.compare(middle, place) < 0) low = middle + 1
      else high = middle
    }
    return this.compare(low, place) === 0 ? low : -1
  }

  /** NaN where there is no such row. */
  private compare(row: number, { source, record, part }: Place): number {
    return (
      (this.sources[row] as number) - source ||
      (this.records[row] as number) - record ||
      (this.parts[row] as number) - part
    )
  }
}

function comparePlaces(a: Place, b: Place): number {
  return a.source - b.source || a.record - b.record || a.part - b.part
}
