import { useMemo, useRef } from 'react'
import { thresholdsText } from '../../../shared/exports/phrases.ts'
import { type Cause, causesOf } from '../../../shared/hypotheses/causes.ts'
import type { HypothesisResult, Report } from '../../../shared/model/report.ts'
import { SaveTableButton } from '../../app/save-table-button.tsx'
import { judgeRest, reconfigure } from '../../data/dump.ts'
import { useKeptScroll } from '../../lists/use-kept-scroll.ts'
import { useScrollFocus } from '../../lists/use-scroll-focus.ts'
import { useFiles } from '../../state/files.ts'
import { useSecond } from '../../state/second.ts'
import { inApp } from '../../text/app-words.ts'
import { judgedOf } from '../../text/judged.ts'
import { counted } from '../../text/numbers.ts'
import { runName } from '../../text/run-name.ts'
import { spelt } from '../../text/visible.ts'
import { AdvicePanel } from './advice.tsx'
import { BoundaryTable } from './boundary-table.tsx'
import { BySteps, WithSteps } from './by-step.tsx'
import { OtherChecks } from './check-table.tsx'
import { causePlace, FaultList } from './faults.tsx'
import { HypothesisCard, HypothesisLine, Undecidable } from './hypotheses.tsx'
import { LengthHistogram } from './length-histogram.tsx'
import { LossByTurn } from './loss-by-turn.tsx'
import { LossByPart, LossByTool, MaskedWhole, TokenTotals } from './loss-share.tsx'
import { lossTable } from './loss-table.ts'
import { RunLogs } from './run-logs.tsx'

const LARGE = ['H02', 'H04']

/** What the whole dump says: verdicts first, then the faults they rest on, then where the loss falls. */
export function VerdictsView() {
  const report = useFiles((files) => files.report)
  const isReading = useFiles((files) => files.phase === 'reading')
  const following = useFiles((files) => files.following)
  return report === null ? null : <Verdicts report={report} reading={isReading ? { following } : null} />
}

/** @param props.reading null once everything has been read */
export function Verdicts({ report, reading }: { report: Report; reading: { readonly following: boolean } | null }) {
  const scroller = useRef<HTMLDivElement>(null)
  const causes = useMemo(() => causesOf(report), [report])
  const isEmpty = reading !== null && report.totals.trajectories === 0
  useKeptScroll(scroller, 'verdicts', !isEmpty)
  useScrollFocus(scroller, !isEmpty)
  const isStopped = useFiles((files) => files.judgingStopped)
  const failed = useFiles((files) => files.readingFailed)
  if (isStopped && report.totals.trajectories === 0) return <NothingYet following={false} />
  if (isEmpty) return <NothingYet following={reading.following} />
  if (failed !== null && report.totals.trajectories === 0) return <NothingRead why={failed} />
  return (
    <div ref={scroller} className="verdicts" tabIndex={-1}>
      <h1 className="visually-hidden">Verdicts</h1>
      {reading !== null && !isStopped && (
        <p className="quiet">
          {reading.following
            ? 'Followed while it is written: verdicts can change with every rollout.'
            : 'Still reading: verdicts can change until the last record.'}
        </p>
      )}
      <OfAPart />
      {failed !== null && <BeforeFailure rollouts={report.totals.trajectories} why={failed} />}
      <Beside />
      {report.thresholds !== undefined && (
        <p>
          Judged with thresholds that were set: {thresholdsText(report)}{' '}
          <button type="button" className="link" onClick={() => void reconfigure({ thresholds: undefined })}>
            back to the defaults
          </button>
        </p>
      )}
      <AdvicePanel report={report} openCause={(id) => showCause(causes, id)} />
      <WithSteps>
        {(steps) => (
          <>
            <HypothesisCards report={report} />
            <FaultList causes={causes} report={report} />
            <BySteps steps={steps} report={report} />
          </>
        )}
      </WithSteps>
      <RunLogs logs={report.logs ?? []} />
      <Loss report={report} />
      <BoundaryTable checks={report.checks} />
      <OtherChecks checks={report.checks} />
    </div>
  )
}

/** Of what no rollout was read it is not known what it lacks. */
function NothingYet({ following }: { following: boolean }) {
  const isStopped = useFiles((files) => files.judgingStopped)
  return (
    <div className="verdicts">
      <h1 className="visually-hidden">Verdicts</h1>
      {isStopped ? (
        <OfAPart />
      ) : (
        <p className="quiet">
          {following
            ? 'Followed while it is written: the first verdicts come with the first rollouts.'
            : 'Reading: the first verdicts come with the first rollouts.'}
        </p>
      )}
    </div>
  )
}

/** Reading ended before the first rollout was judged: that is all there is to say. Nothing of it is a lack of the dump. */
function NothingRead({ why }: { why: string }) {
  return (
    <div className="verdicts">
      <h1 className="visually-hidden">Verdicts</h1>
      <section className="advice mend" aria-labelledby="not-read">
        <h2 id="not-read" className="advice-title">
          Reading failed
        </h2>
        <p className="advice-first">No rollout was judged, so nothing is known of what this dump has or lacks.</p>
        <p>{spelt(inApp(why))}</p>
      </section>
    </div>
  )
}

function BeforeFailure({ rollouts, why }: { rollouts: number; why: string }) {
  return (
    <p>
      <span className="error-text">✖</span> Reading failed: {spelt(inApp(why))} What stands here is of the{' '}
      {counted(rollouts, 'rollout')} that had been judged by then.
    </p>
  )
}

/** Goes to a cause in the list, and opens what stands under it. */
function showCause(causes: readonly Cause[], id: string): void {
  const cause = causes.find(({ ids }) => ids.includes(id))
  const place = cause === undefined ? null : document.getElementById(causePlace(cause.ids[0] as string))
  if (place?.getAttribute('aria-expanded') === 'false') place.click()
  place?.focus()
  place?.scrollIntoView({ block: 'center' })
}

function OfAPart() {
  const part = useFiles(judgedOf)
  const isRead = useFiles((files) => files.phase === 'open')
  if (part === null) return null
  return (
    <p>
      <span className="warn-text">▲</span> Judging was stopped: {part}. The verdicts and findings of groups and of the
      whole dump lack the rest.{' '}
      {isRead && (
        <button type="button" className="link" onClick={() => void judgeRest()}>
          Judge all
        </button>
      )}
    </p>
  )
}

function Beside() {
  const { chosen, run } = useSecond()
  if (chosen === null) return null
  return (
    <p className="quiet">
      {run === null
        ? `Reading a second run, ${runName(chosen)}: what needs both is judged at its end.`
        : `Judged beside a second run, ${runName(chosen)}. All numbers but those of H06-library, H07 and H08 are of the open run alone.`}
    </p>
  )
}

function Loss({ report }: { report: Report }) {
  if (report.totals.tokens.total === 0) {
    return (
      <section aria-labelledby="where-loss">
        <h2 id="where-loss">Where the loss falls</h2>
        <p className="quiet">
          There are no token ids here, so nothing can be said of the loss, of lengths and of turns.
        </p>
      </section>
    )
  }
  return (
    <div className="verdict-columns">
      <section aria-labelledby="where-loss">
        <div className="table-title">
          <h2 id="where-loss">Where the loss falls</h2>
          <SaveTableButton what="where the loss falls" stem="loss" table={() => lossTable(report.totals)} />
        </div>
        <TokenTotals totals={report.totals} />
        <MaskedWhole report={report} />
        <LossByPart report={report} />
        {report.totals.by_tool.length > 0 && (
          <>
            <h3>By tool</h3>
            <div className="tool-frame">
              <LossByTool tools={report.totals.by_tool} />
            </div>
          </>
        )}
      </section>
      <div className="verdict-stack">
        <section aria-labelledby="loss-by-turn">
          <h2 id="loss-by-turn">Trained share by turn</h2>
          <LossByTurn report={report} />
        </section>
        <LengthHistogram
          limits={report.limits}
          several={report.limits_by_rollout ?? {}}
          leftOut={report.limits_left_out ?? {}}
        />
      </div>
    </div>
  )
}

function HypothesisCards({ report }: { report: Report }) {
  const isLarge = (result: HypothesisResult) => LARGE.includes(result.id)
  const decided = report.hypotheses.filter((result) => !isLarge(result) && result.verdict !== 'not-checkable')
  // What is supported is what there is to see to, whichever number it has.
  decided.sort((a, b) => Number(b.verdict === 'supported') - Number(a.verdict === 'supported'))
  const undecidable = report.hypotheses.filter((result) => !isLarge(result) && result.verdict === 'not-checkable')
  return (
    <section aria-label="Hypotheses">
      <div className="verdict-cards">
        {report.hypotheses.filter(isLarge).map((result) => (
          <HypothesisCard key={result.id} result={result} />
        ))}
      </div>
      {decided.length > 0 && (
        <ul className="verdict-lines">
          {decided.map((result) => (
            <HypothesisLine key={result.id} result={result} view="verdicts" />
          ))}
        </ul>
      )}
      {undecidable.length > 0 && <Undecidable results={undecidable} />}
    </section>
  )
}
