import { useRef } from 'react'
import type { Report } from '../../../shared/model/report.ts'
import type { LimitName } from '../../../shared/model/streams.ts'
import type { Histogram } from '../../../shared/session/protocol.ts'
import { showRollouts } from '../../commands/go.ts'
import { type LengthOf, useLengths } from '../../data/boundaries.ts'
import { goTo, usePlace } from '../../state/place.ts'
import { rangeWords } from '../../text/filter-words.ts'
import { count, counted, tallestBar } from '../../text/numbers.ts'
import { limitWords } from '../../text/words.ts'
import { useWidth } from '../rollout/use-canvas.ts'

interface Choice {
  readonly of: LengthOf
  readonly label: string
  readonly limits: readonly LimitName[]
  /** What each bar counts. */
  readonly counts: readonly [one: string, many: string]
}

const CHOICES: readonly Choice[] = [
  { of: 'sequence', label: 'whole rollout', limits: ['max_seq_len'], counts: ['rollout', 'rollouts'] },
  {
    of: 'prompt',
    label: 'prompt',
    limits: ['max_prompt_length'],
    counts: ['rollout', 'rollouts'],
  },
  {
    of: 'assistant-turn',
    label: 'assistant turn',
    limits: ['max_completion_length'],
    counts: ['turn', 'turns'],
  },
  {
    of: 'tool-reply',
    label: 'tool reply',
    limits: ['max_tool_response_length'],
    counts: ['reply', 'replies'],
  },
]

interface Limited {
  readonly limits: Report['limits']
  /** Those of which rollouts have several. */
  readonly several: NonNullable<Report['limits_by_rollout']>
  readonly leftOut: NonNullable<Report['limits_left_out']>
}

/** How long rollouts are, with the limits that may have cut them drawn in. Each bar opens the rollouts in it. */
export function LengthHistogram({ limits, several, leftOut }: Limited) {
  const { lengths } = usePlace('verdicts')
  const choice = CHOICES.find(({ of }) => of === lengths) ?? (CHOICES[0] as Choice)
  const histogram = useLengths(choice.of)
  return (
    <section aria-labelledby="lengths">
      <h2 id="lengths">Lengths</h2>
      <fieldset className="segmented" aria-label="Length of">
        {CHOICES.map((other) => (
          <button
            key={other.of}
            type="button"
            aria-pressed={other === choice}
            onClick={() => goTo('verdicts', { lengths: other.of })}
          >
            {other.label}
          </button>
        ))}
      </fieldset>
      {histogram === null ? (
        <p className="quiet">Counting…</p>
      ) : histogram.counts.every((number) => number === 0) ? (
        <p className="quiet">This dump has none.</p>
      ) : (
        <Bars histogram={histogram} choice={choice} limits={limits} several={several} leftOut={leftOut} />
      )}
    </section>
  )
}

/** More values of a limit than these have a line and no words. */
const MOST_LABELS = 5
/** Until the drawing has been measured, and at the most (pixels). */
const WIDTH = 520
const MOST_WIDTH = 704
const HEIGHT = 150
const FOOT = 22
const HEAD = 18

function Bars({ histogram, choice, limits, several, leftOut }: { histogram: Histogram; choice: Choice } & Limited) {
  const figure = useRef<HTMLElement>(null)
  // Drawn as wide as it stands there, so that its words are as large as those around it in every window.
  const across = Math.min(useWidth(figure, 'lengths') || WIDTH, MOST_WIDTH)
  const { from, width, counts } = histogram
  const most = Math.max(...counts, 1)
  const drawn = choice.limits.flatMap((name) => {
    const limit = limits[name]
    if (limit !== null) return [{ value: limit.value, words: `${limitWords(name, limit)} (${limit.origin})` }]
    return (several[name] ?? []).map((one) => ({
      value: one.value,
      words: `${limitWords(name, { ...one, origin: 'metadata' })} (${counted(one.rollouts, 'rollout')})`,
    }))
  })
  const more = choice.limits.reduce((sum, name) => sum + (leftOut[name]?.values ?? 0), 0)
  const last = Math.max(from + width * counts.length, ...drawn.map((limit) => limit.value * 1.02))
  const x = (tokens: number) => ((tokens - from) / (last - from)) * across
  const step = x(from + width)
  const rangeOf = (bin: number) => ({
    of: choice.of,
    atLeast: from + bin * width,
    below: from + (bin + 1) * width,
  })
  const open = (bin: number) => showRollouts({ where: { lengths: [rangeOf(bin)] } })
  return (
    <figure ref={figure} className="histogram">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing holds no fieldset */}
      <svg
        viewBox={`0 0 ${across} ${HEAD + HEIGHT + FOOT}`}
        role="group"
        aria-label={`Lengths in tokens: ${choice.label}`}
      >
        <line className="axis" x1="0" x2={across} y1={HEAD + HEIGHT} y2={HEAD + HEIGHT} />
        {counts.map((number, bin) => {
          const start = from + bin * width
          const height = (number / most) * HEIGHT
          if (number === 0) return null
          const label = `${rangeWords(rangeOf(bin))}: ${counted(number, ...choice.counts)}`
          return (
            // biome-ignore lint/a11y/useSemanticElements: a button cannot stand in a drawing
            <g
              key={start}
              className="bin"
              role="button"
              tabIndex={0}
              aria-label={label}
              onClick={() => open(bin)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' && event.key !== ' ') return
                event.preventDefault()
                open(bin)
              }}
            >
              <title>{label}</title>
              <rect className="bin-catch" x={x(start)} y={HEAD} width={step} height={HEIGHT} />
              <rect
                className="bin-bar"
                x={x(start) + 0.5}
                y={HEAD + HEIGHT - Math.max(1, height)}
                width={Math.max(1, step - 1)}
                height={Math.max(1, height)}
              />
            </g>
          )
        })}
        {drawn.map((limit, at) => (
          <g key={limit.value} className="limit">
            <line x1={x(limit.value)} x2={x(limit.value)} y1={HEAD - 4} y2={HEAD + HEIGHT} />
            <text
              x={x(limit.value) > across / 2 && at > 0 ? x(limit.value) - 4 : Math.min(x(limit.value) + 4, across)}
              y={HEAD - 6 + 13 * at}
              textAnchor={x(limit.value) > across / 2 ? 'end' : 'start'}
            >
              {at < MOST_LABELS
                ? limit.words
                : at === MOST_LABELS && `and ${counted(drawn.length - at + more, 'more value')}`}
            </text>
          </g>
        ))}
        <text className="axis-label" x="0" y={HEAD + HEIGHT + 15}>
          {count(from)}
        </text>
        <text className="axis-label" x={across} y={HEAD + HEIGHT + 15} textAnchor="end">
          {counted(Math.round(last), 'token')}
        </text>
      </svg>
      <figcaption className="quiet">
        <button type="button" className="link" onClick={() => open(counts.indexOf(most))}>
          {tallestBar(most, ...choice.counts)}
        </button>
        {drawn.length === 0 && ' · no limit of this length is known'}
      </figcaption>
    </figure>
  )
}
