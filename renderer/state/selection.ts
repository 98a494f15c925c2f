import { create } from 'zustand'
import type { Finding } from '../../shared/model/report.ts'
import type { RolloutRef } from '../../shared/session/requests/compare.ts'

export interface SelectionState {
  /** Index of the rollout in report order; the row the table's cursor is on and the one that the rollout view shows. */
  readonly rollout: number | null
  /** Index of a rollout of the second run that the rollout view shows instead; null as long as it shows one of the open run. */
  readonly second: number | null
  /** The token that the panel describes. */
  readonly token: number | null
  /** Half-open range marked in the tokens, such as a finding's. */
  readonly range: readonly [number, number] | null
  /** Token at which a person began to mark the range token by token; null of every other range, which begins at its start. */
  readonly anchor: number | null
  /** Fingerprint of the finding that was chosen; null where nobody chose one. Several may mark the same range. */
  readonly finding: string | null
  /** Grows when the selected token is to be scrolled to. */
  readonly jump: number
}

export const NOTHING_SELECTED: SelectionState = {
  rollout: null,
  second: null,
  token: null,
  range: null,
  anchor: null,
  finding: null,
  jump: 0,
}

export const useSelection = create<SelectionState>()(() => NOTHING_SELECTED)

/** Selects a rollout; what was selected inside another one is let go. */
export function selectRollout(rollout: number | null): void {
  useSelection.setState((state) =>
    state.rollout === rollout && state.second === null
      ? state
      : { rollout, second: null, token: null, range: null, anchor: null, finding: null },
  )
}

/** Selects a rollout of the second run for the rollout view; the table's cursor stays where it is. */
export function selectSecond(second: number): void {
  useSelection.setState((state) =>
    state.second === second ? state : { second, token: null, range: null, anchor: null, finding: null },
  )
}

/** Selects a rollout of either run. */
export function selectRef({ run, index }: RolloutRef): void {
  if (run === 'second') selectSecond(index)
  else selectRollout(index)
}

/** The rollout that the rollout view shows. */
export function shownRollout({ rollout, second }: Pick<SelectionState, 'rollout' | 'second'>): RolloutRef | null {
  if (second !== null) return { run: 'second', index: second }
  return rollout === null ? null : { run: 'open', index: rollout }
}

/** The same where nothing is drawn. */
export function rolloutOnScreen(): RolloutRef | null {
  return shownRollout(useSelection.getState())
}

/** Selects a token and scrolls to it, and marks the range anew, also the same one; `finding` is the fingerprint of the one whose range it is. */
export function jumpTo(
  token: number,
  range: readonly [number, number] | null = null,
  finding: string | null = null,
): void {
  const marked = range === null ? null : ([range[0], range[1]] as const)
  useSelection.setState(({ jump }) => ({ token, range: marked, anchor: null, finding, jump: jump + 1 }))
}

/** Chooses a finding and goes where it begins; one of the whole rollout goes nowhere. */
export function jumpToFinding({ tokens, fingerprint }: Pick<Finding, 'tokens' | 'fingerprint'>): void {
  if (tokens === null) useSelection.setState({ finding: fingerprint })
  else jumpTo(tokens[0], tokens, fingerprint)
}

/** Selects a token where it already is on screen. */
export function selectToken(token: number | null): void {
  useSelection.setState({ token, range: null, anchor: null, finding: null })
}

/** Marks from where marking began up to a token that is on screen, in either direction; without a selected token it is that one alone. */
export function selectUpTo(token: number): void {
  const state = useSelection.getState()
  if (state.token === null && state.range === null) {
    selectToken(token)
    return
  }
  const [anchor] = endsOf(state)
  const range = [Math.min(anchor, token), Math.max(anchor, token) + 1] as const
  useSelection.setState({ token, range, anchor, finding: null })
}

/** Scrolls to the selected token and leaves what is marked as it is. `length`: tokens of the rollout, at least one. */
export function jumpAgain(length: number): void {
  useSelection.setState(({ token, jump }) => ({ token: Math.min(token ?? 0, length - 1), jump: jump + 1 }))
}

/** Moves the free end of the marked range by a token; the other end stays where marking began. `length`: tokens of the rollout. */
export function moveRangeEnd(step: 1 | -1, length: number): void {
  if (length === 0) return
  const [from, free] = endsOf(useSelection.getState())
  const within = (token: number) => Math.max(0, Math.min(length - 1, token))
  const anchor = within(from)
  const next = within(within(free) + step)
  const range = [Math.min(anchor, next), Math.max(anchor, next) + 1] as const
  useSelection.setState(({ jump }) => ({ token: next, range, anchor, finding: null, jump: jump + 1 }))
}

/** Where marking began and the token that moves: what was not marked by key is gone on with at its end. */
function endsOf({ token, range, anchor }: SelectionState): readonly [number, number] {
  if (range === null) return [token ?? 0, token ?? 0]
  return anchor === null ? [range[0], range[1] - 1] : [anchor, token ?? anchor]
}
