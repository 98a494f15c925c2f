import type { OpenedDump } from '../protocol.ts'

/** What a screen may ask while the run is still being written. */
export interface FollowRequests {
  /**
   * Reads what is open again and from then on, as it grows; or ends that, and judges what is there. `handles`: those of the file system
   * that the browser gave for what was dropped. Fails with a sentence where this host cannot see files grow.
   */
  follow: { input: { on: boolean; handles?: readonly unknown[] }; output: OpenedDump }
}
