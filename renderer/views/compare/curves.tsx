import type { ComparedSeries, ComparedSpread, RunComparison } from '../../../shared/session/requests/compare.ts'
import { percent, real } from '../../text/numbers.ts'

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
export function Curves({ comparison: { spreads, series } }: { comparison: RunComparison }) {
  return (
    <div className="compare-curves">
      {spreads.length === 0 && series.length === 0 && (
        <p className="quiet">There is nothing that both runs spread over, and nothing by step.</p>
      )}
      {spreads.map((spread) => (
        <Spread key={spread.of} spread={spread} />
      ))}
      {series.map((one) => (
        <Series key={one.name} series={one} />
      ))}
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
    return `most often ${real(round(from + bin * width))} to ${real(round(from + (bin + 1) * width))} (${percent(shares[bin] ?? 0)})`
  }
  return (
    <figure className="curve">
      <figcaption>
        <strong>{words}</strong> <span className="quiet">share of each run</span>
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
          {real(round(from))}
        </text>
        <text className="axis-label" x={WIDTH} y={HEIGHT + 13} textAnchor="end">
          {real(round(from + bins * width))}
        </text>
      </svg>
    </figure>
  )
}

function round(value: number): number {
  return Number(value.toPrecision(4))
}

function Series({ series: { name, here, there } }: { series: ComparedSeries }) {
  const values = [...here.values, ...there.values].filter((value) => value !== null)
  const steps = [...here.steps, ...there.steps]
  const [least, most] = ends(values)
  const [first, last] = ends(steps)
  const x = (step: number) => (last > first ? ((step - first) / (last - first)) * WIDTH : WIDTH / 2)
  const y = (value: number) =>
    HEIGHT - 4 - (most > least ? ((value - least) / (most - least)) * (HEIGHT - 8) : HEIGHT / 2)
  const path = (side: ComparedSeries['here']) => {
    let drawn = ''
    let isDrawing = false
    for (const [at, step] of side.steps.entries()) {
      const value = side.values[at] ?? null
      if (value === null) {
        isDrawing = false
        continue
      }
      const point = `${x(step).toFixed(1)} ${y(value).toFixed(1)}`
      drawn += isDrawing ? `L${point}` : `M${point}L${point}`
      isDrawing = true
    }
    return drawn
  }
  return (
    <figure className="curve">
      <figcaption>
        <strong>{name}</strong> <span className="quiet">by step</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`}
        role="img"
        aria-label={`${name} by step: open run ${went(here)}, second run ${went(there)}`}
      >
        <path className="curve-line open" d={path(here)} />
        <path className="curve-line" d={path(there)} />
        <line className="axis" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        <text className="axis-label" x="0" y={HEIGHT + 13}>
          {real(first)}
        </text>
        <text className="axis-label" x={WIDTH} y={HEIGHT + 13} textAnchor="end">
          step {real(last)}
        </text>
      </svg>
      <p className="curve-note">
        open run {went(here)} <span className="quiet">·</span> second run {went(there)}
      </p>
    </figure>
  )
}

function went({ values }: ComparedSeries['here']): string {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return 'not told'
  return `${real(round(known[0] as number))} → ${real(round(known.at(-1) as number))}`
}

function ends(values: readonly number[]): [number, number] {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const value of values) {
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  return [least, most]
}
