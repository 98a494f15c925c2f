import { plainFacts } from '../checks/facts/kept-facts.ts'
import { endOf, toldEnds } from '../checks/truncation/told-ends.ts'
import type { Finding } from '../model/report.ts'
import type { CodeLists } from '../query/values.ts'
import { type Collected, codesOf, worstOf } from './audit/collected.ts'
import type { Conclusion } from './concluding/conclude.ts'
import { DumpFindings } from './concluding/dump-findings.ts'
import type { Row } from './protocol.ts'

/** What stands beside a rollout in a table: what was found in it, in its group and in the dump that it is of. */
export class BesideRollouts {
  private readonly ofDump: DumpFindings

  /**
   * @param collected what has been read by now; a run that is followed may begin anew
   * @param conclusion the last one, which may be a little behind that
   */
  constructor(
    private readonly collected: () => Collected,
    private readonly conclusion: () => Pick<Conclusion, 'dumpFindings' | 'named' | 'run'>,
  ) {
    this.ofDump = new DumpFindings(conclusion)
  }

  /** Findings of groups and of the whole dump that name it. */
  findingsOfDump(index: number): readonly Finding[] {
    return this.ofDump.of(index)
  }

  /** Codes that stand in it, those of its group included and intended ones excepted; sorted, each once. */
  codesOf(index: number): readonly string[] {
    const extra = this.ofDump.of(index)
    const local = this.collected().codesAt(index)
    return extra.length === 0 ? local : [...new Set([...local, ...codesOf(extra)])].sort()
  }

  /** The codes of all, as `codesOf` gives them. */
  codeLists(): CodeLists {
    return this.ofDump.withCodes(this.collected().codeLists())
  }

  private worstOf(index: number): Finding['severity'] | null {
    const local = this.collected().worstAt(index)
    const wide = worstOf(this.ofDump.of(index))
    if (local === 'error' || wide === 'error') return 'error'
    if (local === 'warning' || wide === 'warning') return 'warning'
    return local ?? wide
  }

  /** The gravest severity of each, as places in `SEVERITY_RANKS`; the caller's own. */
  worstRanks(): Uint8Array {
    const ranks = this.collected().worstRanks()
    this.ofDump.raise(ranks)
    return ranks
  }

  /** Those of these that were read. */
  rows(indices: readonly number[]): Row[] {
    const { facts } = this.collected()
    const ends = toldEnds(this.conclusion().run.dump)
    return indices.flatMap((index) => {
      const of = facts[index]
      if (of === undefined) return []
      const told = { ...plainFacts(of), endReason: endOf(of, ends) }
      return [{ index, facts: told, codes: this.codesOf(index), worst: this.worstOf(index) }]
    })
  }
}
