import { Expected, Provenance, TOKEN_STATE_NAMES, TokenState } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'

export function stateName(detail: Pick<TrajectoryDetail, 'states'>, token: number): (typeof TOKEN_STATE_NAMES)[number] {
  return TOKEN_STATE_NAMES[detail.states[token] ?? TokenState.unknown] ?? 'unknown'
}

/** What the structure of the turns says of a token, in words; null where there is no such oracle. */
export function structureSays(detail: Pick<TrajectoryDetail, 'expected'>, token: number): string | null {
  if (detail.expected === null) return null
  switch (detail.expected[token]) {
    case Expected.trained:
      return 'trained'
    case Expected.masked:
      return 'masked'
    default:
      return 'undecided'
  }
}

/** What the dump says about who wrote a token, in words; null where nothing tells. */
export function provenanceSays(detail: Pick<TrajectoryDetail, 'provenance'>, token: number): string | null {
  if (detail.provenance === null) return null
  switch (detail.provenance[token]) {
    case Provenance.sampled:
      return 'sampled by the model'
    case Provenance.notSampled:
      return 'not sampled'
    default:
      return 'silent'
  }
}

/** Whether the structure oracle has an opinion and the mask holds another. */
export function disagrees(detail: Pick<TrajectoryDetail, 'states' | 'expected'>, token: number): boolean {
  const expected = detail.expected?.[token] ?? Expected.undecided
  const state = detail.states[token]
  if (state === TokenState.unknown || expected === Expected.undecided) return false
  return (expected === Expected.trained) !== (state === TokenState.trained)
}
