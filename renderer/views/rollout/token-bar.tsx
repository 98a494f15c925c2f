import { useMemo } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { Overlay } from '../../../shared/session/requests/rollout.ts'
import { WithCode } from '../../app/with-code.tsx'
import { useOverlayChoices } from '../../data/details.ts'
import { useObservable } from '../../data/observable.ts'
import { count } from '../../text/numbers.ts'
import { longPadding, tagCounts } from './folds.ts'
import { OverlayLegend } from './overlay-legend.tsx'
import { OverlayMenu, overlayMenu } from './overlay-menu.tsx'
import { revealedIn, togglePadding, useRevealed } from './revealed-padding.ts'
import { showOverlay, toggleFold, toggleLayout, useRolloutPlace } from './rollout-place.ts'
import { useMedia } from './use-canvas.ts'

interface Props {
  readonly detail: TrajectoryDetail
  readonly overlay: Overlay | null
  /** Why the overlay that was asked for is not shown. */
  readonly problem: string | null
}

/** How the tokens are laid out, what they are coloured by, and what is folded. */
export function TokenBar({ detail, overlay, problem }: Props) {
  const place = useRolloutPlace()
  return (
    <div className="token-bar">
      <OverlayButton detail={detail} overlay={overlay} />
      <button
        type="button"
        className="button small"
        aria-pressed={place.layout === 'grid'}
        title="Key g: one token to a cell"
        onClick={toggleLayout}
      >
        grid
      </button>
      {tagCounts(detail).map(({ name, count: times }) => (
        <button
          key={name}
          type="button"
          className={`button small tag-chip tag-${name}`}
          aria-pressed={place.folded.includes(name)}
          title={place.folded.includes(name) ? `Unfold all <${name}>` : `Fold all <${name}>`}
          onClick={() => toggleFold(name)}
        >
          {place.folded.includes(name) ? '▸' : '▾'} {`<${name}>`} <span className="quiet">{times}</span>
        </button>
      ))}
      <PaddingChip detail={detail} />
      <Scale overlay={overlay} problem={problem} />
    </div>
  )
}

/** Folds long runs of padding, or shows them; nothing where there are none. */
function PaddingChip({ detail }: Pick<Props, 'detail'>) {
  const isRevealed = useRevealed((state) => revealedIn(state, detail) !== null)
  const isPaddingOpen = useRolloutPlace().isPaddingOpen || isRevealed
  const runs = useMemo(() => longPadding(detail), [detail])
  if (runs.length === 0) return null
  return (
    <button
      type="button"
      className="button small padding-chip"
      aria-pressed={!isPaddingOpen}
      title={`Key z: ${isPaddingOpen ? 'fold the padding' : 'show the padding token by token'}`}
      onClick={() => togglePadding(detail)}
    >
      {isPaddingOpen ? '▾' : '▸'} padding{' '}
      <span className="quiet">{count(runs.reduce((sum, { start, end }) => sum + end - start, 0))}</span>
    </button>
  )
}

/** What the tokens beside the edges of turns are coloured by. */
export function EdgeBar({ detail, overlay, problem }: Props) {
  return (
    <div className="token-bar">
      <OverlayButton detail={detail} overlay={overlay} />
      <Scale overlay={overlay} problem={problem} />
    </div>
  )
}

/** As the style sheets have it. */
const NARROW_WINDOW = '(max-width: 1080px)'

function OverlayButton({ detail, overlay }: Omit<Props, 'problem'>) {
  const place = useRolloutPlace()
  const isOpen = useObservable(overlayMenu)
  // There a long name takes no line from the tokens without these words, which are still read out.
  const isNarrow = useMedia(NARROW_WINDOW)
  const choices = useOverlayChoices(detail)
  const known = choices.state === 'ready' ? choices.value : []
  const title = known.find(({ id }) => id === place.overlay)?.title ?? overlay?.title ?? place.overlay
  return (
    <div className="overlay-place">
      <button
        type="button"
        className="button small"
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        title="Key o; < and > go through them"
        onClick={() => overlayMenu.set(!isOpen)}
      >
        <span className={isNarrow ? 'visually-hidden' : undefined}>coloured by </span>
        <strong>{title ?? 'state'}</strong> <span aria-hidden="true">▾</span>
      </button>
      {isOpen && <OverlayMenu choices={known} chosen={place.overlay} choose={showOverlay} />}
    </div>
  )
}

function Scale({ overlay, problem }: Omit<Props, 'detail'>) {
  const isAwaited = useRolloutPlace().overlay !== null && overlay === null && problem === null
  return (
    <>
      {overlay !== null && <OverlayLegend overlay={overlay} />}
      {isAwaited && <p className="legend" />}
      {problem !== null && (
        <p className="legend-problem">
          <WithCode text={problem} />
        </p>
      )}
    </>
  )
}
