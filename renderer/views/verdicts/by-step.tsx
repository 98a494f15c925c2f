import { createContext, type ReactNode, useContext } from 'react'
import type { Report } from '../../../shared/model/report.ts'
import type { Stream } from '../../../shared/model/streams.ts'
import { type RunSteps, STEP_MEASURES, type StepMeasure } from '../../../shared/session/requests/steps.ts'
import { missingOf } from '../../app/truth-line.tsx'
import { WithCode } from '../../app/with-code.tsx'
import { showRollouts } from '../../commands/go.ts'
import { useAnswer } from '../../data/use-answer.ts'
import { counted, real } from '../../text/numbers.ts'
import { STREAM_WORDS } from '../../text/words.ts'
import { StepChart } from '../charts/step-chart.tsx'
import { StepTable } from '../charts/step-table.tsx'
import { stepsQuery, stepsWords } from '../charts/step-words.ts'

/** What each verdict and check speaks of that goes by step. */
const MEASURE_OF: Readonly<Record<string, StepMeasure>> = {
  H02: 'trained',
  H03: 'kl',
  H04: 'cut',
  'H06-library': 'reward',
  'H06-lora': 'gap',
  L01: 'gap',
  L08: 'gap',
  L10: 'kl',
}

/** Streams of which a dump needs all to tell a measure. */
const NEEDS: Readonly<Record<StepMeasure, readonly Stream[]>> = {
  reward: ['rewards'],
  gap: ['logprobs.sampler', 'logprobs.trainer'],
  kl: ['logprobs.trainer', 'logprobs.reference'],
  cut: ['tokenizer'],
  trained: ['mask'],
  tokens: ['ids'],
}

const Drawn = createContext<ReadonlySet<StepMeasure>>(new Set())

/** Asks how the run goes by step, for the charts and for the links that lead to them. */
export function WithSteps({ children }: { children: (steps: RunSteps | null) => ReactNode }) {
  const answer = useAnswer('runSteps', {})
  const steps = answer.state === 'ready' ? answer.value : null
  const drawn = steps === null || steps.points.length < 2 ? [] : steps.series.map(({ of }) => of)
  return <Drawn value={new Set(drawn)}>{children(steps)}</Drawn>
}

/** Leads from a verdict or a check to its chart by step; nothing where there is none. */
export function ByStepLink({ of }: { of: string }) {
  const drawn = useContext(Drawn)
  const measure = MEASURE_OF[of]
  if (measure === undefined || !drawn.has(measure)) return null
  const show = () => {
    const chart = document.getElementById(placeOf(measure))
    chart?.focus({ preventScroll: true })
    chart?.scrollIntoView({ block: 'center' })
  }
  return (
    <button type="button" className="link by-step-link" aria-label={`${of} by step`} onClick={show}>
      by step
    </button>
  )
}

function placeOf(measure: StepMeasure): string {
  return `by-step-${measure}`
}

/** How the run goes by training step. Each point opens the rollouts of its step. */
export function BySteps({ steps, report }: { steps: RunSteps | null; report: Report }) {
  if (steps === null || report.totals.trajectories === 0) return null
  const { points, series } = steps
  if (points.length < 2) {
    return (
      <section aria-labelledby="by-step">
        <h2 id="by-step">By training step</h2>
        <p className="quiet">
          {points.length === 0 ? (
            <WithCode text="These rollouts do not say of which training step they are (dump it as `step`, or open files that are named by their step), so no course can be drawn." />
          ) : (
            `All rollouts are of step ${real(points[0]?.from)}: open the files of several steps together to see how reward, logprobs and the mask go.`
          )}
        </p>
      </section>
    )
  }
  const at = { steps: points.map(({ from }) => from), to: points.map(({ to }) => to) }
  const opens = {
    what: 'shows the rollouts of the step',
    open: (place: number) => {
      const point = points[place]
      if (point !== undefined) showRollouts({ query: stepsQuery(point) })
    },
  }
  const stepWords = (place: number) => {
    const point = points[place]
    return point === undefined ? '' : `${stepsWords(point)}, ${counted(point.rollouts, 'rollout')}`
  }
  const lines = series.map(({ values, ...known }) => ({ ...known, line: { name: null, ...at, values } }))
  return (
    <section aria-labelledby="by-step">
      <h2 id="by-step">By training step</h2>
      <p className="quiet">
        <button
          type="button"
          className="link"
          title="Show the rollouts of all steps"
          onClick={() => showRollouts({ query: 'has:step' })}
        >
          {counted(
            points.reduce((sum, { rollouts }) => sum + rollouts, 0),
            'rollout',
          )}{' '}
          of steps {real(points[0]?.from)} to {real(points.at(-1)?.to)}
        </button>
        . A point opens the rollouts of its step.
      </p>
      <div className="step-charts">
        {lines.map(({ of, title, unit, over, line }) => (
          <StepChart
            key={of}
            id={placeOf(of)}
            title={title}
            unit={unit}
            over={over}
            lines={[line]}
            stepWords={stepWords}
            opens={opens}
          />
        ))}
      </div>
      <Untold steps={steps} report={report} />
      <StepTable
        name="by step"
        what="the run by training step"
        stem="steps"
        columns={lines}
        stepWords={(place) => {
          const point = points[place]
          return point === undefined ? '' : stepsWords(point)
        }}
        opens={opens}
      />
    </section>
  )
}

/** What no step tells, and how a dump would come to carry it. */
function Untold({ steps, report }: { steps: RunSteps; report: Report }) {
  const told = new Set(steps.series.map(({ of }) => of))
  const missing = missingOf(report)
  const streams = STREAM_NAMES.filter((stream) =>
    STEP_MEASURES.some((of) => !told.has(of) && NEEDS[of].includes(stream) && missing.includes(stream)),
  )
  if (streams.length === 0) return null
  return (
    <p className="quiet">
      More could be drawn with{' '}
      {streams.map((stream) => `${STREAM_WORDS[stream].name} (${STREAM_WORDS[stream].how})`).join(', ')}.
    </p>
  )
}

const STREAM_NAMES: readonly Stream[] = [...new Set(Object.values(NEEDS).flat())]
