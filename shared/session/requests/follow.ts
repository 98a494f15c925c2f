import type { Report } from '../../model/report.ts'
import type { OpenedDump } from '../protocol.ts'

/** What a screen may ask while the run is still being written. */
export interface FollowRequests {
  /**
   * Reads what is open again and from then on, as it grows; or ends that, and judges what is there. `handles`: those of the file system
   * that the browser gave for what was dropped. Fails with a sentence where this host cannot see files grow.
   */
  follow: { input: { on: boolean; handles?: readonly unknown[] }; output: OpenedDump }
  /** Ends following without what was written and is not read yet. `isWhole`: there was nothing of that. */
  stopReading: { input: Record<string, never>; output: { readonly isWhole: boolean } }
  /**
   * Does not wait for verdicts: the last that were drawn, which are those of `report`, stand until `judgeOn`. `isWhole`: they are of all that
   * was read. Where the last speak of other rollouts than those that were read, it waits for better ones.
   */
  stopJudging: { input: Record<string, never>; output: { readonly report: Report; readonly isWhole: boolean } }
  judgeOn: { input: Record<string, never>; output: Record<string, never> }
}
