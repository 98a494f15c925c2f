import type { IdComparison, Overlay, RolloutRequests } from '../requests/rollout.ts'
import type { Session } from '../session.ts'

type Handlers = {
  [Name in keyof RolloutRequests]: (
    input: RolloutRequests[Name]['input'],
    signal: AbortSignal,
  ) => Promise<RolloutRequests[Name]['output']>
}

/** Answers what is asked of one rollout beside its detail. */
export function rolloutHandlers(current: () => Session): Handlers {
  return {
    overlays: ({ index }) => current().rollouts.overlays(index),
    overlay: ({ index, overlay }) => current().rollouts.overlay(index, overlay),
    lossWeights: ({ index }) => current().rollouts.lossWeights(index),
    compareIds: ({ index, kind }, signal) => current().rollouts.compareIds(index, kind, signal),
    relatives: ({ index }, signal) => current().rollouts.relatives(index, signal),
  }
}

/** Buffers of an answer that may be transferred instead of copied. */
export function rolloutTransferables(name: string, output: unknown): ArrayBuffer[] {
  if (name === 'compareIds') {
    const { ids, textOffsets } = output as IdComparison
    return [ids.buffer as ArrayBuffer, textOffsets.buffer as ArrayBuffer]
  }
  if (name !== 'overlay') return []
  const { values, steps } = output as Overlay
  return [values.buffer as ArrayBuffer, steps.buffer as ArrayBuffer]
}
