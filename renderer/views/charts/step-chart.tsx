import { type KeyboardEvent, type MouseEvent, useMemo, useState } from 'react'
import type { MeasureUnit } from '../../../shared/session/requests/compare.ts'
import { real } from '../../text/numbers.ts'
import { type Axis, stepTicks, valueAxis } from './axis.ts'
import { placeAfter } from './place-after.ts'
import { type Frame, seriesPath } from './series-path.ts'
import {
  allPoints,
  middleOf,
  middlesOf,
  nearestPoint,
  type StepLine,
  type Steps,
  stepsWords,
  valueAt,
  valueWords,
  wentWords,
} from './step-words.ts'
import { tickWords } from './tick-words.ts'

const WIDTH = 400
const HEIGHT = 100
/** More steps than these stand too close for a dot each. */
const MOST_DOTS = 60

/** What a chart by training step is given; all of it but the lines may be left out. */
export interface StepChartProps {
  readonly title: string
  readonly unit: MeasureUnit
  readonly lines: readonly StepLine[]
  /** Said beside the title: what it is a mean over, or what the trainer calls it. */
  readonly over?: string
  readonly id?: string
  readonly isSmall?: boolean
  /** The title stands above it already. */
  readonly isUntitled?: boolean
  /** What the steps of a point are called and what else is known of them; by its place among all points. */
  readonly stepWords?: (at: number) => string
  readonly opens?: StepOpening
}

/** What Enter and a click do at a point, in words, and the doing. */
export interface StepOpening {
  readonly what: string
  /** Whether there is anything behind a point; left out where there always is. */
  has?(at: number): boolean
  open(at: number): void
}

/**
 * One number by training step, on axes with numbers. One stop of the Tab key: arrows go from step to step and read it, Enter or a click
 * opens what is behind it.
 */
export function StepChart(props: StepChartProps) {
  const { title, unit, lines, over = '', id, isSmall = false, isUntitled = false, opens } = props
  const points = useMemo(() => allPoints(lines), [lines])
  const [chosen, choose] = useState<number | null>(null)
  const axis = useMemo(
    () =>
      valueAxis(
        lines.flatMap(({ values }) => values),
        unit === 'share',
        isSmall ? 2 : 4,
      ),
    [lines, unit, isSmall],
  )
  const ticks = useMemo(() => tickWords(axis.ticks, unit), [axis, unit])
  const first = points[0]?.from ?? 0
  const last = points.reduce((most, { to }) => Math.max(most, to), first)
  const frame = useMemo(() => frameOf(axis, first, last), [axis, first, last])
  const at = chosen === null ? null : Math.min(chosen, points.length - 1)
  const point = at === null ? undefined : points[at]
  const stepWords = props.stepWords ?? ((place: number) => stepsWords(points[place] as Steps))
  const isOpenable = (place: number) => opens !== undefined && (opens.has?.(place) ?? true)
  const words = (place: number) => {
    const told = lines.map((line) => {
      const value = valueWords(valueAt(line, points[place] as Steps), unit)
      return line.name === null ? value : `${line.name} ${value}`
    })
    return `${stepWords(place)}: ${told.join(', ')}`
  }
  const went = lines.map((line) => `${line.name === null ? '' : `${line.name} `}${wentWords(line, unit)}`)
  const span = points.length === 0 ? 'no step' : `steps ${real(first)} to ${real(last)}`
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && at !== null && opens !== undefined) {
      event.preventDefault()
      if (isOpenable(at)) opens.open(at)
      return
    }
    const next = placeAfter(event.key, at, points.length)
    if (next === null) return
    event.preventDefault()
    choose(next)
  }
  const pointAt = (event: MouseEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    return nearestPoint(points, first + ((event.clientX - box.left) / box.width) * (last - first))
  }
  return (
    <figure className={isSmall ? 'step-chart small' : 'step-chart'}>
      <figcaption
        className={isUntitled ? 'visually-hidden' : undefined}
        title={over === '' ? undefined : `${title}, ${over}`}
      >
        <strong>{title}</strong> {(unit === 'nats' || unit === 'tokens') && <span className="quiet">{unit}</span>}
        {over !== '' && <span className="quiet step-over">{over}</span>}
      </figcaption>
      <div className="step-plot">
        <div
          className="step-scale"
          aria-hidden="true"
          style={{ minWidth: `${Math.max(...ticks.map((words) => words.length))}ch` }}
        >
          {axis.ticks.map((tick, place) => (
            <span key={tick} style={{ top: `${(frame.y(tick) / HEIGHT) * 100}%` }}>
              {ticks[place]}
            </span>
          ))}
        </div>
        <div
          id={id}
          className="step-drawing"
          role="slider"
          tabIndex={0}
          aria-label={`${title}: ${went.join(', ')}, ${span}${opens === undefined ? '' : `; Enter ${opens.what}`}`}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, points.length - 1)}
          aria-valuenow={at ?? 0}
          aria-valuetext={at === null ? span : words(at)}
          data-opens={(at === null ? opens !== undefined : isOpenable(at)) || undefined}
          title={at === null ? undefined : `${words(at)}${isOpenable(at) ? ` (a click ${opens?.what})` : ''}`}
          onKeyDown={press}
          onPointerMove={(event) => choose(pointAt(event))}
          onPointerLeave={() => choose(null)}
          onBlur={() => choose(null)}
          onClick={(event) => {
            const place = pointAt(event)
            if (place !== null && isOpenable(place)) opens?.open(place)
          }}
        >
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
            {axis.ticks.map((tick) => (
              <line
                key={tick}
                className={tick === 0 ? 'step-zero' : 'step-grid'}
                x1="0"
                x2={WIDTH}
                y1={frame.y(tick)}
                y2={frame.y(tick)}
              />
            ))}
            {point !== undefined && (
              <line
                className="step-cursor"
                x1={frame.x(middleOf(point))}
                x2={frame.x(middleOf(point))}
                y1="0"
                y2={HEIGHT}
              />
            )}
            {lines.map((line, place) => (
              <Line key={line.name ?? ''} line={line} isSecond={place > 0} frame={frame} at={point} />
            ))}
          </svg>
        </div>
        <div className="step-steps" aria-hidden="true">
          <span style={{ left: 0 }}>{points.length === 0 ? '' : `step ${real(first)}`}</span>
          {stepTicks(first, last).map((step) => (
            <span key={step} className="between" style={{ left: `${(frame.x(step) / WIDTH) * 100}%` }}>
              {real(step)}
            </span>
          ))}
          {last > first && (
            <span className="end" style={{ right: 0 }}>
              {real(last)}
            </span>
          )}
        </div>
      </div>
      <div className={lines.length > 1 ? 'step-note two' : 'step-note'}>
        {at === null ? went.map((each) => <p key={each}>{each}</p>) : <p>{words(at)}</p>}
        {at === null && (axis.from > 0 || axis.to < 0) && (
          <p className="quiet">
            axis {axis.from > 0 ? 'begins' : 'ends'} at {axis.from > 0 ? ticks[0] : ticks.at(-1)}
          </p>
        )}
      </div>
    </figure>
  )
}

function Line(props: { line: StepLine; isSecond: boolean; frame: Frame; at: Steps | undefined }) {
  const { line, isSecond, frame, at } = props
  const { values } = line
  const steps = middlesOf(line)
  const dots =
    steps.length > MOST_DOTS ? '' : steps.map((step, place) => dot(frame, step, values[place] ?? null)).join('')
  const own = isSecond ? 'step-line second' : 'step-line'
  return (
    <>
      <path className={own} d={seriesPath(steps, values, frame)} />
      <path className={`${own} dots`} d={dots} />
      {at !== undefined && <path className={`${own} chosen`} d={dot(frame, middleOf(at), valueAt(line, at))} />}
    </>
  )
}

/** A line without length, which its round ends draw. */
function dot({ x, y }: Frame, step: number, value: number | null): string {
  return value === null ? '' : `M${x(step)} ${y(value)}h0`
}

function frameOf({ from, to }: Axis, first: number, last: number): Frame {
  const half = to / 2 - from / 2
  return {
    width: WIDTH,
    x: (step) => (last > first ? ((step - first) / (last - first)) * WIDTH : WIDTH / 2),
    y: (value) => HEIGHT - (half > 0 ? ((value / 2 - from / 2) / half) * HEIGHT : HEIGHT / 2),
  }
}
