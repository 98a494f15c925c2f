import type { Address } from '../state/address.ts'
import { useFiles } from '../state/files.ts'
import { useSelection } from '../state/selection.ts'
import { keepTokenPlace, useTokenPlace } from '../state/token-place.ts'

/** How far the tokens are scrolled belongs to the step of the browser's history, and not to the address: a link leads to its token. */
interface HeldPlace {
  readonly dump: string
  readonly run: 'open' | 'second'
  readonly index: number
  readonly token: number
  readonly below: number
}

/** Writes where the tokens of the address are scrolled to into the step of the history that is on screen. */
export function holdTokenPlace({ dump, view, rollout, second }: Address): void {
  const { place } = useTokenPlace.getState()
  const { dumpHash } = useFiles.getState()
  if (place === null || dump === null || dump !== dumpHash || view !== 'rollout') return
  const { run, index } = place.rollout
  if (run === 'open' ? second !== null || index !== rollout : index !== second) return
  const tokens: HeldPlace = { dump, run, index, token: place.token, below: place.below }
  history.replaceState({ ...history.state, tokens }, '')
}

/** To be called once an address has been taken in: its tokens come back to where they were scrolled to in this step. */
export function findTokenPlace(): void {
  const held = heldPlace(history.state)
  if (held === null || held.dump !== useFiles.getState().dumpHash) {
    keepTokenPlace(null)
    return
  }
  const { jump } = useSelection.getState()
  const { run, index, token, below } = held
  keepTokenPlace({ rollout: { run, index }, token, below, jump })
}

/** An older version of the page may have written the state. */
function heldPlace(state: unknown): HeldPlace | null {
  const held = (state as { tokens?: Partial<HeldPlace> } | null)?.tokens
  const isHeld =
    typeof held === 'object' &&
    (held?.run === 'open' || held?.run === 'second') &&
    [held.index, held.token, held.below].every(Number.isFinite)
  return isHeld ? (held as HeldPlace) : null
}
