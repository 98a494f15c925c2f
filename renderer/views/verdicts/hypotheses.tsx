import { Fragment } from 'react'
import { spelledScheme } from '../../../shared/checks/groups/scheme-words.ts'
import { foundBy, speechText, thresholdText } from '../../../shared/exports/phrases.ts'
import type { HypothesisResult, Measure } from '../../../shared/model/report.ts'
import { KeptDetails } from '../../app/kept-details.tsx'
import { PinButton } from '../../app/pin-button.tsx'
import { showRollouts } from '../../commands/go.ts'
import { useFiles } from '../../state/files.ts'
import type { View } from '../../state/view.ts'
import { count, measured } from '../../text/numbers.ts'
import { HYPOTHESIS_QUESTIONS, SPEECH_WORDS, VERDICT_WORDS } from '../../text/words.ts'
import { openProof, proofOf } from './behind-measure.ts'
import { ByStepLink } from './by-step.tsx'
import { FoldButton, useFold } from './unfold.tsx'
import { MissingFor, Thresholds, WouldChange } from './verdict-terms.tsx'

/** Where a hypothesis stands on the screen. */
export function verdictPlace(id: string): string {
  return `verdict-${id}`
}

/** A hypothesis in full: verdict, confidence, and the measure that decided it. */
export function HypothesisCard({ result }: { result: HypothesisResult }) {
  const [deciding, ...rest] = result.because
  return (
    <article
      className={`verdict-card ${result.verdict}`}
      aria-label={`${result.id} ${result.title}`}
      id={verdictPlace(result.id)}
      tabIndex={-1}
    >
      <p className="verdict-id">
        {result.id} · {result.title}
      </p>
      <h2>{HYPOTHESIS_QUESTIONS[result.id]}</h2>
      <p className="verdict-line">
        <VerdictChip result={result} />
        {result.verdict !== 'not-checkable' && <span className="quiet">{result.confidence} confidence</span>}
        <PinVerdict result={result} />
        <ByStepLink of={result.id} />
      </p>
      {deciding !== undefined && <MeasureLine measure={deciding} large />}
      {rest.length > 0 && (
        <KeptDetails
          name={`measures ${result.id}`}
          summary={
            <>
              {rest.length === 1 ? 'One more measure' : `${rest.length} more measures`}
              <span className="quiet"> {tally(rest)}</span>
            </>
          }
        >
          <p className="quiet measures-rule">{RULE}</p>
          {rest.map((measure) => (
            <MeasureLine key={measure.measure} measure={measure} />
          ))}
        </KeptDetails>
      )}
      <WouldChange result={result} />
      <Thresholds result={result} />
      <MissingFor result={result} />
    </article>
  )
}

/** A hypothesis in a line, and on demand in full: in each view by itself, since what is unfolded pushes away what stands below it. */
export function HypothesisLine({ result, view }: { result: HypothesisResult; view: View }) {
  const fold = useFold(`${view} verdict ${result.id}`)
  const [deciding, ...rest] = result.because
  return (
    <li className={`verdict-row ${result.verdict}`} id={verdictPlace(result.id)} tabIndex={-1}>
      <FoldButton fold={fold} className="icon-button" label={`${result.id}: all measures and what would change it`} />
      <span className="verdict-row-id">{result.id}</span>
      {/* The arrow is what keys reach; who points may take the question as well. */}
      <button type="button" className="verdict-row-title" tabIndex={-1} onClick={fold.toggle}>
        {HYPOTHESIS_QUESTIONS[result.id]}
      </button>
      <VerdictChip result={result} />
      <span className="quiet verdict-row-sure">
        {result.verdict !== 'not-checkable' && (
          <span className="verdict-row-confidence">{result.confidence} confidence</span>
        )}{' '}
        <PinVerdict result={result} /> <ByStepLink of={result.id} />
      </span>
      <span className="verdict-row-measure">{deciding !== undefined && <MeasureLine measure={deciding} />}</span>
      <div id={fold.body} className="verdict-row-body" hidden={!fold.isOpen}>
        {rest.length > 0 && <p className="quiet measures-rule">{RULE}</p>}
        {rest.map((measure) => (
          <MeasureLine key={measure.measure} measure={measure} />
        ))}
        <WouldChange result={result} open />
        <Thresholds result={result} />
        <MissingFor result={result} />
      </div>
    </li>
  )
}

/** Nothing to pin where nothing was measured. */
function PinVerdict({ result: { id, verdict, because } }: { result: HypothesisResult }) {
  if (verdict === 'not-checkable' || because.length === 0) return null
  return <PinButton of={{ kind: 'measure', key: { hypothesis: id } }} what={`what decides ${id}`} />
}

export function Undecidable({ results }: { results: readonly HypothesisResult[] }) {
  return (
    <KeptDetails
      name="undecidable"
      className="undecidable"
      summary={<>What this dump cannot decide ({results.length})</>}
    >
      <dl className="pairs">
        {results.map((result) => (
          <div key={result.id}>
            <dt id={verdictPlace(result.id)} tabIndex={-1}>
              {result.id} {HYPOTHESIS_QUESTIONS[result.id]} <ByStepLink of={result.id} />
            </dt>
            <dd>
              <MissingFor result={result} />
            </dd>
          </div>
        ))}
      </dl>
    </KeptDetails>
  )
}

function VerdictChip({ result }: { result: HypothesisResult }) {
  const { glyph, name } = VERDICT_WORDS[result.verdict]
  return (
    <span className={`verdict-chip ${result.verdict}`}>
      <span aria-hidden="true">{glyph}</span> {name}
    </span>
  )
}

/** Without it two measures that disagree look like a mistake. */
const RULE =
  'One measure that speaks for it is enough to support it; one that is undecided counts for neither side; it takes all of them to contradict it.'

/** `(1 for, 2 against)`, of the measures that are compared. */
function tally(measures: readonly Measure[]): string {
  const speech = measures.map(speechText)
  const counts = (['for', 'against', 'undecided'] as const).flatMap((word) => {
    const number = speech.filter((each) => each === word).length
    return number === 0 ? [] : [`${count(number)} ${word}`]
  })
  return counts.length === 0 ? '' : `(${counts.join(', ')})`
}

/** Which way a measure speaks; where it is only stated, an empty place, so that the values stand below each other. */
function Speech({ measure }: { measure: Measure }) {
  const speech = speechText(measure)
  if (speech === null) return <span className="speech" />
  const { glyph, name, title } = SPEECH_WORDS[speech]
  return (
    <span className={`speech ${speech}`} title={title}>
      <span aria-hidden="true">{glyph}</span> {name}
    </span>
  )
}

/** `● for 31 % share of rollouts that lost text (threshold ≥ 10 %)`; the value opens the rollouts behind it. */
function MeasureLine({ measure, large = false }: { measure: Measure; large?: boolean }) {
  const { value } = measure
  const threshold = thresholdText(measure, SIGNS)
  return (
    <p className={large ? 'measure large' : 'measure'}>
      <Speech measure={measure} />
      <span className="measure-text">
        {typeof value === 'string' ? (
          <>
            {measure.measure}: <MeasureValue measure={measure} />
          </>
        ) : (
          <>
            <MeasureValue measure={measure} /> {measure.measure}
          </>
        )}
        {threshold !== null && (
          <>
            {' '}
            <span className="quiet measure-threshold">({threshold})</span>
          </>
        )}
        {measure.where !== undefined && value !== 0 && <NamedBy checks={measure.checks} />}
      </span>
    </p>
  )
}

function MeasureValue({ measure }: { measure: Measure }) {
  const report = useFiles((files) => files.report)
  const shown = spelledScheme(measure) ?? measured(measure.measure, measure.value)
  const proof = proofOf(measure, report)
  if (proof === null) return <span className="measure-value">{shown}</span>
  // Of a value in words the first open it, and what is said of them in brackets stands behind the link.
  const [, linked = shown, more = ''] = (typeof measure.value === 'string' && /^([^(]+)( \(.*)$/s.exec(shown)) || []
  return (
    <>
      <button type="button" className="link measure-value" title={proof.title} onClick={() => openProof(proof)}>
        {linked}
      </button>
      {more !== '' && <span className="measure-more">{more}</span>}
    </>
  )
}

/** Checks that name some of the rollouts, beside a value that opens all of them. */
function NamedBy({ checks }: { checks: readonly string[] }) {
  const report = useFiles((files) => files.report)
  const failed = foundBy(report, checks)
  if (failed.length === 0) return null
  return (
    <span className="quiet">
      {' '}
      named by{' '}
      {failed.map((code, position) => (
        <Fragment key={code}>
          {position > 0 && ', '}
          <button
            type="button"
            className="link"
            title={`Show the rollouts with ${code}`}
            onClick={() => showRollouts({ codes: [code] })}
          >
            {code}
          </button>
        </Fragment>
      ))}
    </span>
  )
}

const SIGNS = { '>=': '≥', '<=': '≤' } as const
