import type { Report } from '../../shared/model/report.ts'
import { ask } from '../engine/engine.ts'

const JUDGING_STOPPED =
  'Judging was stopped: the verdicts are the last that were drawn and may lack what was read since. Open the files again to judge all of them.'

/** Set while all is read and the report of it is still to come. */
let judging: AbortController | null = null

/** Leaves what was read open, under the last report that came of it. */
export function stopJudging(): void {
  judging?.abort()
}

/** The report of everything that was read; where a person did not wait for it, an error that says so. */
export async function judgeAll(): Promise<Report> {
  const own = new AbortController()
  judging = own
  try {
    return await ask('report', {}, own.signal)
  } catch (error) {
    throw own.signal.aborted ? new Error(JUDGING_STOPPED) : error
  } finally {
    if (judging === own) judging = null
  }
}
