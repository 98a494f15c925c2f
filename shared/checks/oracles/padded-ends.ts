import type { Trajectory } from '../../model/trajectory.ts'
import { isBehindLimit, isModelStop } from './end-reason.ts'
import type { ShapedView } from './shape.ts'

/**
 * Rollouts that are padded with the token that ends their turns, and trained up to the first of that run, by whether it is trained as well; adds up over
 * parts of a dump.
 */
export interface PaddedEndCounts {
  readonly trained: number
  readonly untrained: number
}

/** @param views in which a row by itself takes the first of such a run for the end of its last turn */
export function countPaddedEnds(views: readonly ShapedView[]): PaddedEndCounts {
  const counts = { trained: 0, untrained: 0 }
  for (const { ids, mask, segmentation } of views) {
    const last = segmentation?.turns.at(-1)
    if (mask === null || segmentation?.padding.right === 0 || last?.kind !== 'assistant' || last.endToken < 0) continue
    const { endToken, contentStart } = last
    if (endToken === contentStart || mask[endToken - 1] !== 1 || ids[endToken + 1] !== ids[endToken]) continue
    counts[mask[endToken] === 1 ? 'trained' : 'untrained']++
  }
  return counts
}

/** Rows that were padded so train the end that the model wrote: where one does not, it was cut, and the first of its run is a pad as the others are. */
export function padsBehindCuts({ trained, untrained }: PaddedEndCounts): boolean {
  return trained > untrained
}

interface PaddedRow {
  readonly trajectory: Trajectory
  readonly ids: Int32Array
  /** Aligned to tokens. */
  readonly mask: Uint8Array | null
  /** Other rollouts of the dump show that untrained ends before padding are padding. */
  readonly byOthers: boolean
}

/** The first of the end tokens that a row ends with is padding as the others are: its limit says so, its attention mask, or other rollouts. */
export function isPadBehindCut(row: PaddedRow, at: number): boolean {
  return isBehindLimit(row.trajectory, at) || isShownPad(row, at)
}

/** The same, whatever is said of a limit: behind one, a framework may have ended the turn itself. */
export function isShownPad(row: PaddedRow, at: number): boolean {
  if (row.mask?.[at] !== 0 || isSaidToBeSampled(row.trajectory, at)) return false
  return isAttendedElsewhere(row, at) || (row.byOthers && trainsItsEnds(row, at))
}

function isSaidToBeSampled({ finishReason, sampled, logprobs }: Trajectory, at: number): boolean {
  return isModelStop(finishReason) || sampled?.[at] === 1 || (logprobs.sampler?.[at] as number) < 0
}

/** It is not attended, and the same token is where it ends an earlier turn: the attention mask was not made by comparing ids with the pad. */
function isAttendedElsewhere({ trajectory: { attentionMask }, ids }: PaddedRow, at: number): boolean {
  if (attentionMask?.[at] !== 0) return false
  const before = ids.lastIndexOf(ids[at] as number, at - 1)
  return before >= 0 && attentionMask[before] === 1
}

/** The row is trained up to this token, and of its earlier trained turns none lacks its end. */
function trainsItsEnds({ ids, mask }: PaddedRow, at: number): boolean {
  if (mask?.[at - 1] !== 1) return false
  const id = ids[at] as number
  for (let i = ids.indexOf(id, 1); i < at; i = ids.indexOf(id, i + 1)) {
    if (mask[i] === 0 && mask[i - 1] === 1) return false
  }
  return true
}
