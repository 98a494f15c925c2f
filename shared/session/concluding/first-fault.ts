import { fails, type Judgement } from '../../exports/phrases.ts'
import { causeOrder, causesFirst } from '../../hypotheses/causes.ts'
import type { Finding, Report } from '../../model/report.ts'

/** Looks without anything new, after which a report is as good as one of more rollouts. */
const QUIET_LOOKS = 3

/**
 * Finds the fault at which following stops. Half a run is judged otherwise than a whole one, so a fault counts once it stands in two reports in a
 * row, of which the second came after more was read, or after nothing came for a while. Of several it is the one to look at first, as verdicts have it:
 * a cause, and not what follows from it.
 */
export class FirstFault {
  private before: ReadonlySet<string> = new Set()
  private quiet = 0

  constructor(private readonly judgement: Judgement) {}

  /** Null where following goes on. `report` is called only where it has to be judged. */
  after(read: boolean, report: () => Report): { readonly fault: Finding; readonly report: Report } | null {
    return this.isDue(read) ? this.foundIn(report()) : null
  }

  /** Whether a report has to be judged after another look. */
  isDue(read: boolean): boolean {
    this.quiet = read ? 0 : this.quiet + 1
    return this.judgement.failOn !== 'none' && (read || this.quiet === QUIET_LOOKS)
  }

  /** @param now the report that was due */
  foundIn(now: Report): { readonly fault: Finding; readonly report: Report } | null {
    const failing = now.findings.filter((finding) => fails(finding, this.judgement))
    const standing = failing.filter(({ fingerprint }) => this.before.has(fingerprint))
    const [fault] = standing.length > 1 ? causesFirst(standing, causeOrder(now)) : standing
    this.before = new Set(failing.map(({ fingerprint }) => fingerprint))
    return fault === undefined ? null : { fault, report: now }
  }
}

/** Where a fault is and what it is, in a sentence. */
export function faultSentence(
  { code, source, line, record, trajectory, group, message }: Finding,
  report: Report,
): string {
  const name = report.sources[source]?.name ?? ''
  const place =
    record === null
      ? group === null
        ? ''
        : `, group ${group}`
      : `, ${line === undefined ? `record ${record}` : `line ${line}`}${trajectory === null ? '' : `, rollout ${trajectory}`}`
  return `${code} in ${name}${place}: ${message}`
}
