import { type IdComparison, OVERLAYS, type OverlayId } from '../../../shared/session/requests/rollout.ts'
import { TAG_NAMES, type TagName } from '../../../shared/session/rollout/tags.ts'
import { goTo, type Place, usePlace, usePlaces } from '../../state/place.ts'

/** How the tokens of a rollout are looked at. It stands in the address and stays from one rollout to the next. */
export interface RolloutPlace {
  /** Null = by their state. */
  readonly overlay: OverlayId | null
  readonly layout: 'flow' | 'grid'
  /** Tags whose contents are folded away. */
  readonly folded: readonly TagName[]
  /** Long runs of padding are shown token by token, and not as a line each. */
  readonly isPaddingOpen: boolean
  /** What the recorded ids are compared with. */
  readonly compare: IdComparison['kind']
}

function readPlace(place: Place): RolloutPlace {
  return {
    overlay: OVERLAYS.find((id) => id === place.overlay) ?? null,
    layout: place.layout === 'grid' ? 'grid' : 'flow',
    compare: place.compare === 'retokenise' ? 'retokenise' : 'render',
    folded: TAG_NAMES.filter((name) => (place.fold ?? '').split('.').includes(name)),
    isPaddingOpen: place.padding === 'open',
  }
}

export function useRolloutPlace(): RolloutPlace {
  return readPlace(usePlace('rollout'))
}

export function rolloutPlace(): RolloutPlace {
  return readPlace(usePlaces.getState().rollout ?? {})
}

export function showOverlay(overlay: OverlayId | null): void {
  goTo('rollout', { overlay })
}

export function toggleLayout(): void {
  goTo('rollout', { layout: rolloutPlace().layout === 'grid' ? null : 'grid' })
}

export function toggleFold(name: TagName): void {
  const { folded } = rolloutPlace()
  const next = folded.includes(name) ? folded.filter((other) => other !== name) : [...folded, name]
  goTo('rollout', { fold: next.length === 0 ? null : next.join('.') })
}

export function openPadding(isOpen: boolean): void {
  goTo('rollout', { padding: isOpen ? 'open' : null })
}
