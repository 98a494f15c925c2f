import { useRef } from 'react'
import type { TriedLimit } from '../../../shared/session/lab/limits.ts'
import type { LimitPoint, LimitsTried } from '../../../shared/session/requests/lab.ts'
import { count, counted, percent } from '../../text/numbers.ts'
import { LIMIT_WORDS } from '../../text/words.ts'
import { useWidth } from '../rollout/use-canvas.ts'

/** Until the drawing has been measured (pixels). */
const WIDTH = 560
const HEIGHT = 150
const HEAD = 30
const FOOT = 20
const SHARES = [0, 0.5, 1] as const

const LINES = [
  { id: 'cut', label: 'rollouts cut', dash: '' },
  { id: 'answers', label: 'answers not whole, as in the dump or cut', dash: '6 3' },
  { id: 'supporting', label: 'supporting documents cut', dash: '2 3' },
] as const

/** What one limit costs at every value, with the one that is tried and the one in force. A click or a drag tries another. */
export function LimitCurve({
  tried,
  limit,
  value,
  inForce,
  onTry,
}: {
  tried: LimitsTried
  limit: TriedLimit
  value: number | null
  inForce: number | null
  onTry(value: number): void
}) {
  const figure = useRef<HTMLElement>(null)
  // Drawn as wide as it stands there, so that its words are as large as those around it in every window.
  const across = useWidth(figure, 'limit curve') || WIDTH
  const { curve, reach } = tried
  const last = Math.max(reach[limit], inForce ?? 0, value ?? 0, 1)
  const x = (tokens: number) => (tokens / last) * across
  const y = (share: number) => HEAD + (1 - share) * HEIGHT
  const lines = LINES.filter(({ id }) => curve.some((point) => point[id] !== null))
  const at = value === null ? null : nearest(curve, value)
  const move = (event: React.PointerEvent<SVGSVGElement>) => {
    if (event.buttons !== 1) return
    const box = event.currentTarget.getBoundingClientRect()
    onTry(Math.max(0, Math.min(last, ((event.clientX - box.left) / box.width) * last)))
  }
  return (
    <figure ref={figure} className="lab-curve">
      <figcaption>
        Share that is cut, by {LIMIT_WORDS[limit]}
        <span className="lab-legend">
          {lines.map(({ id, label, dash }) => (
            <span key={id} className={`lab-key ${id}`}>
              <svg viewBox="0 0 24 6" aria-hidden="true">
                <line x1="0" x2="24" y1="3" y2="3" strokeDasharray={dash} />
              </svg>{' '}
              {label}
              {at !== null && at[id] !== null && <strong> {percent(at[id])}</strong>}
            </span>
          ))}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${across} ${HEAD + HEIGHT + FOOT}`}
        role="img"
        aria-label={words(curve, limit)}
        onPointerDown={move}
        onPointerMove={move}
      >
        {SHARES.map((share) => (
          <line key={share} className="grid" x1="0" x2={across} y1={y(share)} y2={y(share)} />
        ))}
        {inForce !== null && (
          <Mark across={across} x={x(inForce)} className="in-force" text={`in force ${count(inForce)}`} y={10} />
        )}
        {value !== null && value !== inForce && (
          <Mark across={across} x={x(value)} className="tried" text={`tried ${count(value)}`} y={23} />
        )}
        {lines.map(({ id, dash }) => (
          <path key={id} className={`lab-line ${id}`} strokeDasharray={dash} d={pathOf(curve, id, x, y)} />
        ))}
        {/* Above the lines, which begin where these stand. */}
        {SHARES.map((share) => (
          <text key={share} className="axis-label" x="2" y={y(share) - 3}>
            {percent(share)}
          </text>
        ))}
        <text className="axis-label" x="0" y={HEAD + HEIGHT + 14}>
          0
        </text>
        <text className="axis-label" x={across} y={HEAD + HEIGHT + 14} textAnchor="end">
          {counted(last, 'token')}
        </text>
      </svg>
    </figure>
  )
}

/** Pixels on the left in which the words of the shares stand. */
const SHARE_WORDS = 44

function Mark(props: { x: number; y: number; across: number; className: string; text: string }) {
  const { x, y, across, className, text } = props
  const isRight = x > across * 0.7
  // Words on the left edge would lie on those of the shares.
  const left = Math.max(x + 4, SHARE_WORDS)
  return (
    <g className={`lab-mark ${className}`}>
      <line x1={x} x2={x} y1={y - 8} y2={HEAD + HEIGHT} />
      <text x={isRight ? x - 4 : left} y={y} textAnchor={isRight ? 'end' : 'start'}>
        {text}
      </text>
    </g>
  )
}

function pathOf(
  curve: readonly LimitPoint[],
  id: (typeof LINES)[number]['id'],
  x: (tokens: number) => number,
  y: (share: number) => number,
): string {
  const points = curve.flatMap((point) =>
    point[id] === null ? [] : `${x(point.value).toFixed(1)} ${y(point[id]).toFixed(1)}`,
  )
  return points.length === 0 ? '' : `M${points.join('L')}`
}

function nearest(curve: readonly LimitPoint[], value: number): LimitPoint | null {
  let best: LimitPoint | null = null
  for (const point of curve)
    if (best === null || Math.abs(point.value - value) < Math.abs(best.value - value)) best = point
  return best
}

/** The drawing in words: where it begins to cut, and where it cuts half. */
function words(curve: readonly LimitPoint[], limit: TriedLimit): string {
  const none = curve.find(({ cut }) => cut === 0)
  const half = curve.findLast(({ cut }) => cut >= 0.5)
  const parts = [
    ...(half === undefined ? [] : [`at ${count(half.value)} tokens half of the rollouts or more are cut`]),
    ...(none === undefined ? [] : [`from ${count(none.value)} on none is`]),
  ]
  return `Rollouts cut by ${LIMIT_WORDS[limit]}: ${parts.join(', ')}`
}
