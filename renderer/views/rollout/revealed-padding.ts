import { create } from 'zustand'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { isInPadding } from './folds.ts'
import { openPadding, rolloutPlace } from './rollout-place.ts'

type Span = readonly [number, number]
/** One of another dump may have the same place. */
type Rollout = Pick<TrajectoryDetail, 'run' | 'index'> & { readonly facts: { readonly recordHash: string } }

/** The run of padding around what a jump marked last: it is shown until a person folds it. It is no way of looking that stays from one rollout to the next. */
interface Revealed {
  readonly of: string | null
  /** As the selection holds it: each jump marks anew. */
  readonly span: Span | null
  readonly isShown: boolean
}

export const useRevealed = create<Revealed>()(() => ({ of: null, span: null, isShown: false }))

/** Shows the padding that what is marked lies in, once for each jump: who folds it again while it is marked wants it folded. */
export function revealPadding(detail: Rollout & Pick<TrajectoryDetail, 'states'>, marked: Span | null): void {
  if (marked === null || marked === useRevealed.getState().span || !isInPadding(detail, marked)) return
  useRevealed.setState({ of: nameOf(detail), span: marked, isShown: true })
}

/** What is shown of the folded padding of this rollout; null where nothing is. */
export function revealedIn({ of, span, isShown }: Revealed, rollout: Rollout): Span | null {
  return isShown && of === nameOf(rollout) ? span : null
}

/** Folds all padding of this rollout where any is shown, else shows it. */
export function togglePadding(rollout: Rollout): void {
  const isAnyShown = rolloutPlace().isPaddingOpen || revealedIn(useRevealed.getState(), rollout) !== null
  useRevealed.setState({ isShown: false })
  openPadding(!isAnyShown)
}

function nameOf({ run, index, facts }: Rollout): string {
  return `${run} ${index} ${facts.recordHash}`
}
