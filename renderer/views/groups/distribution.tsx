import { useRef, useState } from 'react'
import type { GroupQuery, GroupStep, GroupSummary } from '../../../shared/session/requests/groups.ts'
import { Term } from '../../app/term.tsx'
import { WithCode } from '../../app/with-code.tsx'
import { count, counted, real, tallestBar } from '../../text/numbers.ts'
import { StepChart } from '../charts/step-chart.tsx'
import { StepTable } from '../charts/step-table.tsx'
import { useWidth } from '../rollout/use-canvas.ts'
import { COLUMN_WORDS } from './group-words.ts'
import { narrow } from './groups-place.ts'

/** Until the drawing has been measured (pixels). */
const WIDTH = 420
const HEIGHT = 84
const HEAD = 34
const FOOT = 18
/** The dead groups stand beside the scale: a std of 0 is no small one. */
const DEAD = 34
const FROM = DEAD + 12

/** How far rewards differ inside groups, where any is complete. */
export function StdHistogram({ summary, query }: { summary: GroupSummary; query: GroupQuery }) {
  const figure = useRef<HTMLElement>(null)
  // Drawn as wide as it stands there, so that its words are as large as those beside it in every window.
  const width = useWidth(figure, 'std of groups') || WIDTH
  return (
    <figure ref={figure} className="group-figure">
      <figcaption>
        <strong>std of rewards within a group</strong>{' '}
        <span className="quiet">
          <Term what={COLUMN_WORDS.complete.what}>complete groups</Term>
        </span>
      </figcaption>
      {summary.incompleteBecause === null ? (
        <Bars summary={summary} query={query} across={width} />
      ) : (
        <p className="quiet">No group is complete: there is no std to draw.</p>
      )}
    </figure>
  )
}

/** With the numbers by which H01 and H05 judge drawn in. Each bar lists its groups. */
function Bars({ summary, query, across }: { summary: GroupSummary; query: GroupQuery; across: number }) {
  const { stds, bounds, kinds, meanStd } = summary
  const most = Math.max(1, kinds.dead, ...stds.counts)
  const drawn = [bounds.noiseFloor, bounds.meanStd ?? 0, meanStd ?? 0].filter(Number.isFinite)
  const last = Math.max(stds.width * stds.counts.length, ...drawn.map((value) => value * 1.05)) || 1
  const x = (std: number) => FROM + (std / last) * (across - FROM)
  const heightOf = (number: number) => (number === 0 ? 0 : Math.max(2, (number / most) * HEIGHT))
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing holds no fieldset
    <svg viewBox={`0 0 ${across} ${HEAD + HEIGHT + FOOT}`} role="group" aria-label="Std of rewards within groups">
      <line className="axis" x1={FROM} x2={across} y1={HEAD + HEIGHT} y2={HEAD + HEIGHT} />
      <line className="axis" x1="0" x2={DEAD} y1={HEAD + HEIGHT} y2={HEAD + HEIGHT} />
      {kinds.dead > 0 && (
        <Bar
          x={0}
          width={DEAD}
          height={heightOf(kinds.dead)}
          className="dead"
          label={`std 0, dead: ${counted(kinds.dead, 'group')}`}
          isOn={query.kinds?.length === 1 && query.kinds[0] === 'dead'}
          onOpen={(isOn) => narrow({ kinds: isOn ? [] : ['dead'], std: null })}
        />
      )}
      {stds.counts.map((number, bin) => {
        if (number === 0) return null
        const atLeast = stds.from + bin * stds.width
        const below = Number((atLeast + stds.width).toPrecision(12))
        const isNoise = below <= bounds.noiseFloor
        return (
          <Bar
            key={atLeast}
            x={x(atLeast)}
            width={x(atLeast + stds.width) - x(atLeast)}
            height={heightOf(number)}
            className={isNoise ? 'noise' : 'contrast'}
            label={`std ${real(atLeast)} to ${real(below)}: ${counted(number, 'group')}`}
            isOn={query.std?.atLeast === Number(atLeast.toPrecision(12))}
            onOpen={(isOn) =>
              narrow({ kinds: [], std: isOn ? null : { atLeast: Number(atLeast.toPrecision(12)), below } })
            }
          />
        )
      })}
      {Number.isFinite(bounds.noiseFloor) && (
        <Mark across={across} x={x(bounds.noiseFloor)} row={0} text={`H01 noise floor ${real(bounds.noiseFloor)}`} />
      )}
      {bounds.meanStd !== null && bounds.meanStd > 0 && (
        <Mark
          across={across}
          x={x(bounds.meanStd)}
          row={1}
          text={`H05 wants a mean of ${real(bounds.meanStd)} or more`}
        />
      )}
      {meanStd !== null && <Mark across={across} x={x(meanStd)} row={2} text={`mean ${real(meanStd)}`} isMean />}
      <text className="axis-label" x={DEAD / 2} y={HEAD + HEIGHT + 13} textAnchor="middle">
        dead
      </text>
      <text className="axis-label" x={FROM} y={HEAD + HEIGHT + 13}>
        0
      </text>
      <text className="axis-label" x={(FROM + across) / 2} y={HEAD + HEIGHT + 13} textAnchor="middle">
        {tallestBar(most, 'group')}
      </text>
      <text className="axis-label" x={across} y={HEAD + HEIGHT + 13} textAnchor="end">
        {real(Number(last.toPrecision(3)))}
      </text>
    </svg>
  )
}

function Mark(props: { x: number; row: number; text: string; across: number; isMean?: boolean }) {
  const { x, row, text, across, isMean = false } = props
  const y = 9 + row * 11
  const isRight = x > across * 0.55
  return (
    <g className={isMean ? 'group-bound mean' : 'group-bound'}>
      <line x1={x} x2={x} y1={y - 6} y2={HEAD + HEIGHT} />
      <text x={isRight ? x - 4 : x + 4} y={y} textAnchor={isRight ? 'end' : 'start'}>
        {text}
      </text>
    </g>
  )
}

function Bar({
  x,
  width,
  height,
  className,
  label,
  isOn,
  onOpen,
}: {
  x: number
  width: number
  height: number
  className: string
  label: string
  isOn: boolean
  onOpen(isOn: boolean): void
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a drawing
    <g
      className={`group-bar ${className}`}
      role="button"
      tabIndex={0}
      aria-pressed={isOn}
      aria-label={label}
      onClick={() => onOpen(isOn)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onOpen(isOn)
      }}
    >
      <title>{label}</title>
      <rect className="bin-catch" x={x} y={HEAD} width={width} height={HEIGHT} />
      <rect
        className="group-bar-fill"
        x={x + 0.5}
        y={HEAD + HEIGHT - height}
        width={Math.max(1, width - 1)}
        height={height}
      />
    </g>
  )
}

/** Mean reward, spread within groups and share of dead groups by training step. */
export function StepSeries({ steps, allSteps }: Pick<GroupSummary, 'steps' | 'allSteps'>) {
  if (steps.length < 2) {
    return (
      <figure className="group-figure">
        <figcaption>
          <strong>by training step</strong>
        </figcaption>
        <p className="quiet">
          {steps.length === 0 ? (
            <WithCode text="This dump does not tell of which step a rollout is (dump it as `step`), so whether reward moves cannot be seen here." />
          ) : (
            `All rollouts are of step ${real(steps[0]?.step)}: whether reward moves needs more steps, or a log of the run.`
          )}
        </p>
      </figure>
    )
  }
  return <StepsOfGroups steps={steps} allSteps={allSteps} />
}

function StepsOfGroups({ steps, allSteps }: Pick<GroupSummary, 'steps' | 'allSteps'>) {
  const [chosen, choose] = useState(0)
  const at = steps.map(({ step }) => step)
  const lines = STEP_LINES.map(({ of, ...words }) => ({
    ...words,
    line: { name: null, steps: at, values: steps.map(of) },
  }))
  const shown = lines[chosen]
  return (
    <figure className="group-figure">
      <figcaption>
        <strong>by training step</strong>
        {steps.length < allSteps && (
          <span className="quiet">
            {' '}
            {count(steps.length)} of {count(allSteps)} steps are drawn
          </span>
        )}
      </figcaption>
      <fieldset className="segmented group-steps" aria-label="By training step">
        {lines.map(({ title }, place) => (
          <button key={title} type="button" aria-pressed={place === chosen} onClick={() => choose(place)}>
            {title}
          </button>
        ))}
      </fieldset>
      {shown !== undefined && (
        <StepChart
          title={shown.title}
          unit={shown.unit}
          lines={[shown.line]}
          opens={{ what: 'lists the groups of the step', open: (place) => narrow({ step: at[place] ?? null }) }}
          isSmall
          isUntitled
        />
      )}
      <StepTable name="groups by step" what="groups by training step" stem="groups-by-step" columns={lines} />
    </figure>
  )
}

const STEP_LINES = [
  { title: 'mean reward', unit: 'number', of: ({ meanReward }: GroupStep) => meanReward },
  { title: 'std within groups', unit: 'number', of: ({ meanStd }: GroupStep) => meanStd },
  {
    title: 'dead groups',
    unit: 'share',
    of: ({ dead, complete }: GroupStep) => (complete === 0 ? null : dead / complete),
  },
] as const
