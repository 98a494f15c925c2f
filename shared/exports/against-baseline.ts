import { count, counted } from '../model/number-text.ts'
import type { Report } from '../model/report.ts'
import type { Judgement } from './phrases.ts'

/** Findings of a report beside those of a baseline, by their fingerprints. */
export interface BaselineCounts {
  /** Findings that the baseline lacks. */
  readonly fresh: number
  /** Findings that it has too. */
  readonly known: number
  /** Fingerprints of the baseline that no finding has now. */
  readonly gone: number
}

/** @param report with all its findings, or none can be told to be gone */
export function againstBaseline({ findings }: Report, known: ReadonlySet<string>): BaselineCounts {
  const found = new Set(findings.map(({ fingerprint }) => fingerprint))
  const shared = findings.filter(({ fingerprint }) => known.has(fingerprint)).length
  return {
    fresh: findings.length - shared,
    known: shared,
    gone: [...known].filter((fingerprint) => !found.has(fingerprint)).length,
  }
}

/** `Against the baseline: 2 new findings, 40 known, 3 gone.`, null where there is none. */
export function baselineText({ baseline }: Pick<Judgement, 'baseline'>): string | null {
  if (baseline === undefined) return null
  const { fresh, known, gone } = baseline
  return `Against the baseline: ${counted(fresh, 'new finding')}, ${count(known)} known, ${count(gone)} gone.`
}
