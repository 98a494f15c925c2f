import type { Report } from '../model/report.ts'
import type { Judgement } from './phrases.ts'
import type { Proofs } from './proofs.ts'
import { htmlReport } from './report-html.ts'
import { junitReport } from './report-junit.ts'
import { markdownReport } from './report-markdown.ts'
import { sarifReport } from './report-sarif.ts'

/** One way to write a report for code hosts, CI or people. Pure: the same report gives the same text. */
export interface ReportFormat {
  readonly id: 'sarif' | 'junit' | 'markdown' | 'html'
  readonly title: string
  /** How many findings it shows with their tokens; `collectProofs` reads those of `groupFindings(report, showsProofs)`. */
  readonly showsProofs?: number
  /**
   * `proofs`: null or absent where the rollouts are not at hand, as in a report that was merged. `unread`: where nothing could be read, a sentence that
   * says so and one for each reason. A CI that uploads the form then shows them, and does not fail for want of a file.
   */
  write(report: Report, judgement: Judgement, proofs?: Proofs | null, unread?: readonly string[]): string
}

export const REPORT_FORMATS: readonly ReportFormat[] = [sarifReport, junitReport, markdownReport, htmlReport]
