import type { FilesState } from '../state/files.ts'
import { count } from './numbers.ts'

/** Of how many rollouts the verdicts are, where a person did not wait for those of all; null where nobody stopped them. */
export function judgedOf({
  judgingStopped,
  report,
  rollouts,
}: Pick<FilesState, 'judgingStopped' | 'report' | 'rollouts'>): string | null {
  if (!judgingStopped || report === null) return null
  const judged = report.totals.trajectories
  return judged < rollouts ? `judged ${count(judged)} of ${count(rollouts)}` : 'not judged to the end'
}
