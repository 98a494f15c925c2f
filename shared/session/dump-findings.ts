import type { Finding } from '../model/report.ts'
import type { Place } from '../model/source.ts'
import type { Conclusion } from './conclude.ts'

/** Findings of groups and of the whole dump by the rollouts that they name, for as long as a conclusion stands. */
export class DumpFindings {
  private known: { readonly of: Conclusion; readonly byIndex: ReadonlyMap<number, readonly Finding[]> } | null = null

  constructor(
    private readonly conclusion: () => Conclusion,
    private readonly locate: (place: Place) => number,
  ) {}

  of(index: number): readonly Finding[] {
    const conclusion = this.conclusion()
    if (this.known?.of !== conclusion) this.known = { of: conclusion, byIndex: this.sorted(conclusion) }
    return this.known.byIndex.get(index) ?? []
  }

  private sorted({ dumpFindings }: Conclusion): ReadonlyMap<number, readonly Finding[]> {
    const byIndex = new Map<number, Finding[]>()
    const add = (index: number, finding: Finding) => {
      const found = byIndex.get(index)
      if (found === undefined) byIndex.set(index, [finding])
      else found.push(finding)
    }
    for (const finding of dumpFindings) {
      if (finding.record !== null) {
        add(this.locate({ source: finding.source, record: finding.record, part: finding.part ?? 0 }), finding)
      } else for (const member of finding.members ?? []) add(this.locate(member), finding)
    }
    return byIndex
  }
}
