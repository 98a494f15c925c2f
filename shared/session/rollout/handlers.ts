import type { RunName } from '../requests/compare.ts'
import type { RequestHandlers } from '../requests/handlers.ts'
import type { IdComparison, Overlay, RolloutRequests } from '../requests/rollout.ts'
import type { Session } from '../session.ts'

/**
 * Answers what is asked of one rollout beside its detail.
 *
 * @param runOf the session of a run, the open one by default; throws with a sentence where there is none
 */
export function rolloutHandlers(runOf: (run?: RunName) => Session): RequestHandlers<RolloutRequests> {
  return {
    overlays: ({ run, index }) => runOf(run).rollouts.overlays(index),
    overlay: ({ run, index, overlay }) => runOf(run).rollouts.overlay(index, overlay),
    lossWeights: ({ run, index }) => runOf(run).rollouts.lossWeights(index),
    compareIds: ({ run, index, kind }, signal) => runOf(run).rollouts.compareIds(index, kind, signal),
    relatives: ({ run, index }, signal) => runOf(run).rollouts.relatives(index, signal),
  }
}

/** Buffers of an answer that may be transferred instead of copied. */
export function rolloutTransferables(name: string, output: unknown): ArrayBuffer[] {
  if (name === 'compareIds') {
    const { ids, textOffsets } = output as IdComparison
    return [ids.buffer as ArrayBuffer, textOffsets.buffer as ArrayBuffer]
  }
  if (name !== 'overlay') return []
  const { values, steps, changed } = output as Overlay
  return [values, steps, ...(changed === null ? [] : [changed])].map(({ buffer }) => buffer as ArrayBuffer)
}
