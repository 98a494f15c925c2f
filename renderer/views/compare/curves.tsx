import { useMemo, useRef } from 'react'
import type { ComparedSeries, ComparedSpread, RunComparison } from '../../../shared/session/requests/compare.ts'
import { showRollouts } from '../../commands/go.ts'
import { useScrollFocus } from '../../lists/use-scroll-focus.ts'
import { fourDigits, percent } from '../../text/numbers.ts'
import { StepChart } from '../charts/step-chart.tsx'
import { StepTable } from '../charts/step-table.tsx'
import { allPoints, isAnyIn, type StepLine, type Steps, stepsQuery } from '../charts/step-words.ts'

const SPREAD_WORDS: Readonly<Record<ComparedSpread['of'], string>> = {
  reward: 'reward',
  sequence: 'tokens of the whole rollout',
  'assistant-turn': 'tokens of an assistant turn',
  'tool-reply': 'tokens of a tool reply',
}

const WIDTH = 420
const HEIGHT = 96
const FOOT = 16

/** How values are spread in both runs, and what goes by step in either. */
export function Curves({ comparison: { spreads, series, steps } }: { comparison: RunComparison }) {
  const scroller = useRef<HTMLDivElement>(null)
  useScrollFocus(scroller)
  return (
    <div ref={scroller} className="compare-curves" tabIndex={-1}>
      {spreads.length === 0 && series.length === 0 && (
        <p className="quiet">There is nothing that both runs spread over, and nothing by step.</p>
      )}
      {spreads.map((spread) => (
        <Spread key={spread.of} spread={spread} />
      ))}
      {series.map((one) => (
        <Series key={one.name} series={one} openSteps={steps} />
      ))}
      {series.length > 0 && (
        <StepTable
          name="compare steps"
          what="both runs by training step"
          stem="steps-of-both"
          columns={series.flatMap((one) =>
            linesOf(one).map((line) => ({ title: `${one.name}, ${line.name}`, unit: one.unit, line })),
          )}
        />
      )}
    </div>
  )
}

/** Both runs as steps over the same bins: the open one filled, the second one drawn as a line. */
function Spread({ spread: { of, from, width, here, there } }: { spread: ComparedSpread }) {
  const most = Math.max(...here, ...there, 1e-9)
  const bins = Math.max(here.length, there.length)
  const x = (bin: number) => (bin / bins) * WIDTH
  const y = (share: number) => HEIGHT - (share / most) * (HEIGHT - 4)
  const outline = (shares: readonly number[]) =>
    shares.map((share, bin) => `${bin === 0 ? 'M' : 'L'}${x(bin)} ${y(share)}L${x(bin + 1)} ${y(share)}`).join('')
  const words = SPREAD_WORDS[of]
  const top = (shares: readonly number[]) => {
    const bin = shares.indexOf(Math.max(...shares))
    return `most often ${fourDigits(from + bin * width)} to ${fourDigits(from + (bin + 1) * width)} (${percent(shares[bin] ?? 0)})`
  }
  return (
    <figure className="curve">
      <figcaption>
        <strong>{words}</strong>{' '}
        <span className="quiet">share of each run, up to {percent(most).replace(' ', '\u00a0')}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`}
        role="img"
        aria-label={`${words}: open run ${top(here)}, second run ${top(there)}`}
      >
        <path className="curve-fill" d={`M0 ${HEIGHT}${outline(here).replace('M', 'L')}L${WIDTH} ${HEIGHT}z`} />
        <path className="curve-line" d={outline(there)} />
        <line className="axis" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <text className="axis-label" x="0" y={HEIGHT + 13}>
          <title>{from}</title>
          {fourDigits(from)}
        </text>
        <text className="axis-label" x={WIDTH} y={HEIGHT + 13} textAnchor="end">
          <title>{from + bins * width}</title>
          {fourDigits(from + bins * width)}
        </text>
      </svg>
    </figure>
  )
}

/** Both runs by step, on one axis. A point opens the rollouts of the open run, where it has any of these steps. */
function Series({ series, openSteps }: { series: ComparedSeries; openSteps: readonly number[] }) {
  const { name, unit } = series
  const { lines, points } = useMemo(() => {
    const both = linesOf(series)
    return { lines: both, points: allPoints(both) }
  }, [series])
  const has = (at: number) => isAnyIn(openSteps, points[at] as Steps)
  const opens = points.some((_, at) => has(at))
    ? {
        what: 'shows the rollouts of the step in the open run',
        has,
        open: (at: number) => showRollouts({ query: stepsQuery(points[at] as Steps) }),
      }
    : undefined
  if (opens === undefined) return <StepChart title={name} unit={unit} lines={lines} />
  return <StepChart title={name} unit={unit} lines={lines} opens={opens} />
}

function linesOf({ here, there }: ComparedSeries): readonly StepLine[] {
  return [
    { name: 'open run', ...here },
    { name: 'second run', ...there },
  ]
}
