import { useRef } from 'react'
import { clipped } from '../../../shared/model/clipped.ts'
import type { GroupMember } from '../../../shared/session/requests/groups.ts'
import { real } from '../../text/numbers.ts'
import { shownId, spelt } from '../../text/visible.ts'
import { useWidth } from '../rollout/use-canvas.ts'
import { chooseSibling } from './groups-place.ts'

/** Until the drawing has been measured, and at the most (pixels). */
const WIDTH = 640
const MOST_WIDTH = 736
/** Letters of a name, and the room that one takes at the most (pixels). */
const NAME_LETTERS = 22
const NAME_LETTER = 7
/** From the end of an axis to the number that stands there, and the room that one takes at the most, such as −0.003644 (pixels). */
const GAP = 12
const NUMBER = 62
/** Between a name and the number behind it (pixels). */
const BETWEEN = 6
const ROW = 26
const RADIUS = 5

/**
 * What stands in one place is shifted up and down, so that each can be seen: along the axis it would look like another reward. In pixels
 * from one to the next; a pile stays within its row.
 */
function pileStep(dots: number): number {
  return Math.min(3, (ROW / 2 - RADIUS) / Math.max(1, Math.floor(dots / 2)))
}

/** The rewards of the rollouts of a group as dots, the total first, then each component on a scale of its own. */
export function RewardDots({
  members,
  components,
  ends,
  chosen,
}: {
  members: readonly GroupMember[]
  components: readonly string[]
  ends: Ends | null
  chosen: number | null
}) {
  const figure = useRef<HTMLElement>(null)
  // Drawn as wide as it stands there: a drawing that is made smaller makes its words too small to read.
  const width = Math.min(useWidth(figure, 'reward dots') || WIDTH, MOST_WIDTH)
  const nameWidth =
    NAME_LETTER * Math.min(NAME_LETTERS, Math.max(...['reward', ...components].map(({ length }) => length)))
  const rows = [
    { name: 'reward', isTotal: true, values: members.map(({ row }) => row.facts.reward) },
    ...components.map((name) => ({
      name,
      isTotal: false,
      values: members.map(({ row }) => row.facts.rewards?.[name] ?? null),
    })),
  ]
  return (
    <figure ref={figure} className="group-dots">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing holds no fieldset */}
      <svg viewBox={`0 0 ${width} ${rows.length * ROW + 4}`} role="group" aria-label="Rewards of the rollouts">
        {rows.map(({ name, values, isTotal }, at) => (
          <DotRow
            key={isTotal ? '' : name}
            name={name}
            values={values}
            members={members}
            ends={isTotal ? ends : null}
            y={at * ROW + ROW / 2}
            from={nameWidth + BETWEEN + NUMBER + GAP}
            to={width - GAP - NUMBER}
            chosen={chosen}
          />
        ))}
      </svg>
      <figcaption className="quiet">{scaleWords(ends, components.length > 0 && members.length > 1)}</figcaption>
    </figure>
  )
}

/** What the rows are drawn on; a number that stands alone has no scale. */
function scaleWords(ends: Ends | null, hasScales: boolean): string {
  const ofComponents = 'ach component from its least to its greatest value in this group.'
  if (ends === null || ends.least === ends.greatest) return hasScales ? `E${ofComponents}` : ''
  const ofReward = 'The reward on the scale of the whole dump, '
  return ofReward + (hasScales ? `e${ofComponents}` : 'from its least to its greatest value.')
}

interface Ends {
  readonly least: number
  readonly greatest: number
}

function DotRow({
  name,
  values,
  members,
  ends,
  y,
  from: left,
  to: right,
  chosen,
}: {
  name: string
  values: readonly (number | null)[]
  members: readonly GroupMember[]
  ends: Ends | null
  y: number
  /** Where the axis begins and ends. */
  from: number
  to: number
  chosen: number | null
}) {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[]
  const least = Math.min(ends?.least ?? Number.POSITIVE_INFINITY, ...known)
  const greatest = Math.max(ends?.greatest ?? Number.NEGATIVE_INFINITY, ...known)
  const range = greatest - least
  // One number has no scale: it stands where those of the other rows begin.
  const x = (value: number) => (range > 0 ? left + ((value - least) / range) * (right - left) : left)
  const piles = new Map<number, number>()
  for (const value of known) piles.set(Math.round(x(value)), (piles.get(Math.round(x(value))) ?? 0) + 1)
  const piled = new Map<number, number>()
  return (
    <g>
      <text className="dot-name" x="0" y={y + 4}>
        {spelt(clipped(name, NAME_LETTERS))}
      </text>
      {known.length === 0 ? (
        <text className="axis-label" x={left} y={y + 4}>
          no value in this group
        </text>
      ) : (
        <>
          {range > 0 && (
            <>
              <text className="axis-label" x={left - GAP} y={y + 4} textAnchor="end">
                {real(least)}
              </text>
              <line className="reward-axis" x1={left} x2={right} y1={y} y2={y} />
            </>
          )}
          <text className="axis-label" x={(range > 0 ? right : left) + GAP} y={y + 4}>
            {real(greatest)}
          </text>
          {members.map(({ row: { index, facts } }, at) => {
            const value = values[at] ?? null
            if (value === null || !Number.isFinite(value)) return null
            const place = Math.round(x(value))
            const height = piled.get(place) ?? 0
            piled.set(place, height + 1)
            const shift = pileStep(piles.get(place) ?? 1) * Math.ceil(height / 2) * (height % 2 === 0 ? 1 : -1)
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the table below has the same by key
              <circle
                key={index}
                className={index === chosen ? 'reward-dot chosen' : 'reward-dot'}
                cx={place}
                cy={y + shift}
                r={RADIUS}
                onClick={() => chooseSibling(index)}
              >
                <title>
                  {shownId(facts.id, 200)}: {spelt(name)} {real(value)}
                </title>
              </circle>
            )
          })}
        </>
      )}
    </g>
  )
}
