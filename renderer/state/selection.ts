import { create } from 'zustand'

export interface SelectionState {
  /** Index of the rollout in report order; the row the table's cursor is on and the one that the rollout view shows. */
  readonly rollout: number | null
  /** The token that the panel describes. */
  readonly token: number | null
  /** Half-open range marked in the tokens, such as a finding's. */
  readonly range: readonly [number, number] | null
  /** Grows when the selected token is to be scrolled to. */
  readonly jump: number
}

export const NOTHING_SELECTED: SelectionState = { rollout: null, token: null, range: null, jump: 0 }

export const useSelection = create<SelectionState>()(() => NOTHING_SELECTED)

/** Selects a rollout; what was selected inside another one is let go. */
export function selectRollout(rollout: number | null): void {
  useSelection.setState((state) => (state.rollout === rollout ? state : { rollout, token: null, range: null }))
}

/** Selects a token and scrolls to it. */
export function jumpTo(token: number, range: readonly [number, number] | null = null): void {
  useSelection.setState(({ jump }) => ({ token, range, jump: jump + 1 }))
}

/** Selects a token where it already is on screen. */
export function selectToken(token: number | null): void {
  useSelection.setState({ token, range: null })
}
