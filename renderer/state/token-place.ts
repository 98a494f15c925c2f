import { create } from 'zustand'
import type { RolloutRef } from '../../shared/session/requests/compare.ts'

/** Where the tokens of a rollout are scrolled to. */
export interface TokenPlace {
  readonly rollout: RolloutRef
  /** The first token of the line at the top edge. */
  readonly token: number
  /** How far below the start of that token's line the edge is, in pixels; negative where a line without tokens stands above it. */
  readonly below: number
  /** `jump` of the selection at the time: whoever jumped since then wants to be where that led. */
  readonly jump: number
}

/** That of the rollout that was looked at last; null as long as none was scrolled. */
export const useTokenPlace = create<{ readonly place: TokenPlace | null }>()(() => ({ place: null }))

export function keepTokenPlace(place: TokenPlace | null): void {
  useTokenPlace.setState({ place })
}

/** Where the tokens of a rollout come back to; null where a jump says it, or nothing does. */
export function tokenPlaceOf(rollout: RolloutRef, jump: number): TokenPlace | null {
  const { place } = useTokenPlace.getState()
  if (place === null || place.jump !== jump) return null
  return place.rollout.run === rollout.run && place.rollout.index === rollout.index ? place : null
}
