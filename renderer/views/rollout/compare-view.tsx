import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import type { DifferenceCause, IdComparison } from '../../../shared/session/requests/rollout.ts'
import { stopComparing, useComparison } from '../../data/comparisons.ts'
import { useOverscan } from '../../data/printing.ts'
import { useScrollFocus } from '../../lists/use-scroll-focus.ts'
import { goTo } from '../../state/place.ts'
import { useSelection } from '../../state/selection.ts'
import { count, counted } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { CAUSE_WORDS } from './compare-words.ts'
import { Difference } from './difference.tsx'
import { useRolloutPlace } from './rollout-place.ts'

const KINDS = [
  { kind: 'render', label: 'messages through the template' },
  { kind: 'retokenise', label: 'own text encoded again' },
] as const

/** A guess until one is drawn. */
const DIFFERENCE_HEIGHT = 150
/** Waits shorter than this are not told of. */
const TOLD_AFTER = 200

/** The recorded ids beside those that the messages render to, or beside their own text encoded again. */
export function CompareView({ detail }: { detail: TrajectoryDetail }) {
  const { compare: kind } = useRolloutPlace()
  const [comparing, again] = useComparison(detail, kind)
  return (
    <section className="compare-ids" aria-label="Recorded ids beside others">
      <div className="compare-bar">
        <fieldset className="segmented">
          <legend className="visually-hidden">Compare the recorded ids with</legend>
          {KINDS.map((entry) => (
            <button
              key={entry.kind}
              type="button"
              aria-pressed={entry.kind === kind}
              onClick={() => goTo('rollout', { compare: entry.kind === 'render' ? null : entry.kind })}
            >
              {entry.label}
            </button>
          ))}
        </fieldset>
      </div>
      {comparing.state === 'working' && <Working kind={kind} />}
      {comparing.state === 'stopped' && (
        <p className="nothing quiet">
          Stopped.{' '}
          <button type="button" className="link" onClick={again}>
            Start again
          </button>
        </p>
      )}
      {comparing.state === 'failed' && (
        <p className="nothing error-text" role="alert">
          ✖ {comparing.message}
        </p>
      )}
      {comparing.state === 'ready' && <Compared detail={detail} comparison={comparing.value} />}
    </section>
  )
}

function Working({ kind }: { kind: IdComparison['kind'] }) {
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), TOLD_AFTER)
    return () => clearTimeout(timer)
  }, [])
  if (!isLong) return null
  return (
    <p className="nothing quiet" role="status">
      {kind === 'render' ? 'Rendering the messages and encoding them…' : 'Encoding the text again…'}{' '}
      <button type="button" className="button small" onClick={stopComparing}>
        Stop
      </button>
      <br />
      <progress aria-label="Comparing" />
    </p>
  )
}

function Compared({ detail, comparison }: { detail: TrajectoryDetail; comparison: IdComparison }) {
  const [only, setOnly] = useState<DifferenceCause | null>(null)
  const causes = useMemo(() => countCauses(comparison), [comparison])
  const shown = useMemo(
    () => comparison.differences.filter(({ cause }) => only === null || cause === only),
    [comparison, only],
  )
  if (comparison.impossible !== null) return <p className="nothing quiet">{spelt(comparison.impossible)}</p>
  const kept = detail.reconstructed ? 'reconstructed' : 'recorded'
  const recorded = comparison.common + comparison.differences.reduce((sum, { recorded: [a, b] }) => sum + b - a, 0)
  return (
    <>
      <p className="compare-summary">
        {comparison.differences.length === 0 ? (
          <strong className="ok-text">✓ All {counted(comparison.common, 'token')} are the same.</strong>
        ) : (
          <>
            <strong>{counted(comparison.differences.length + comparison.omitted, 'difference')}</strong>
            {`: ${count(comparison.common)} of ${count(recorded)} ${kept} tokens are the same.`}
          </>
        )}{' '}
        <span className="quiet">
          Compared with {spelt(comparison.how)}, {counted(comparison.ids.length, 'token')}.
        </span>
      </p>
      {detail.reconstructed && (
        <p className="quiet">
          ▲ Nobody recorded these ids: both rows were made here from the same texts. A difference tells of the texts,
          not of what the loss saw.
        </p>
      )}
      {causes.length > 1 && (
        <fieldset className="compare-causes">
          <legend className="visually-hidden">Show differences of one cause</legend>
          {causes.map(([cause, number]) => (
            <button
              key={cause}
              type="button"
              className="button small"
              aria-pressed={only === cause}
              onClick={() => setOnly(only === cause ? null : cause)}
            >
              {CAUSE_WORDS[cause]} <span className="quiet">{count(number)}</span>
            </button>
          ))}
        </fieldset>
      )}
      {shown.length > 0 && <Differences detail={detail} comparison={comparison} shown={shown} />}
      {comparison.omitted > 0 && <p className="quiet compare-omitted">and {count(comparison.omitted)} more</p>}
    </>
  )
}

interface DifferencesProps {
  readonly detail: TrajectoryDetail
  readonly comparison: IdComparison
  readonly shown: IdComparison['differences']
}

function Differences({ detail, comparison, shown }: DifferencesProps) {
  const scroller = useRef<HTMLDivElement>(null)
  useScrollFocus(scroller)
  const overscan = useOverscan(3)
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => DIFFERENCE_HEIGHT,
    overscan,
  })
  const jump = useSelection((state) => state.jump)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a jump scrolls once, whatever else is drawn again
  useEffect(() => {
    const { token } = useSelection.getState()
    if (token !== null) virtual.scrollToIndex(nearestTo(token, shown), { align: 'start' })
  }, [jump, shown])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the list is scrolled with the keyboard
    <section ref={scroller} className="differences" aria-label="Differences" tabIndex={0}>
      <div className="differences-body" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const difference = shown[item.index]
          if (difference === undefined) return null
          return (
            <article
              key={`${difference.recorded.join()}:${difference.other.join()}`}
              ref={virtual.measureElement}
              data-index={item.index}
              className="difference"
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Difference detail={detail} comparison={comparison} difference={difference} />
            </article>
          )
        })}
      </div>
    </section>
  )
}

/** The difference whose recorded ids lie nearest to a token; of two alike the first. */
function nearestTo(token: number, differences: IdComparison['differences']): number {
  const away = ({ recorded: [from, to] }: (typeof differences)[number]) =>
    token < from ? from - token : Math.max(0, token - Math.max(from, to - 1))
  let nearest = 0
  let least = Number.POSITIVE_INFINITY
  for (const [position, difference] of differences.entries()) {
    const distance = away(difference)
    if (distance < least) [nearest, least] = [position, distance]
  }
  return nearest
}

function countCauses({ differences }: IdComparison): [DifferenceCause, number][] {
  const counts = new Map<DifferenceCause, number>()
  for (const { cause } of differences) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])
}
