import { useMemo } from 'react'
import { skippedText } from '../../shared/model/lost-files.ts'
import type { Report } from '../../shared/model/report.ts'
import type { RolloutRef } from '../../shared/session/requests/compare.ts'
import { showRollouts } from '../commands/go.ts'
import { useDetail } from '../data/details.ts'
import { closeDump, judgeRest, stopJudging } from '../data/dump.ts'
import { toggleFollow } from '../data/follow.ts'
import { list } from '../data/list.ts'
import { useObservable } from '../data/observable.ts'
import { useFiles } from '../state/files.ts'
import { useMarks } from '../state/marks.ts'
import { useSecond } from '../state/second.ts'
import { shownRollout, useSelection } from '../state/selection.ts'
import { openDialog, useView } from '../state/view.ts'
import { judgedOf } from '../text/judged.ts'
import { bytes, count, counted } from '../text/numbers.ts'
import { ExportLine } from './export-line.tsx'
import { Notice } from './notice.tsx'
import { tokensApartFromPadding } from './token-counts.ts'

/** The bottom line: what is selected, what is flagged, how far reading is, and what was skipped. */
export function StatusLine() {
  const flags = useMarks((state) => state.here.length)
  const view = useView((state) => state.view)
  return (
    <footer className="status-line">
      {view === 'rollout' ? <SelectedTokens /> : <Shown />}
      <button type="button" className="link" disabled={flags === 0} onClick={() => showRollouts({ flaggedOnly: true })}>
        {counted(flags, 'flagged', 'flagged')}
      </button>
      <ExportLine />
      <Reading />
      <Notice />
      <span className="status-keys">
        <button type="button" className="link" onClick={() => openDialog('keys')}>
          <kbd>?</kbd> keys
        </button>
      </span>
    </footer>
  )
}

function Shown() {
  const shown = useObservable(list).length
  // Rows are asked for, how many there are is told: either may be ahead.
  const all = Math.max(
    shown,
    useFiles((files) => files.rollouts),
  )
  return (
    <span>
      {count(shown)} of {counted(all, 'rollout')} listed
    </span>
  )
}

function SelectedTokens() {
  const rollout = useSelection((state) => state.rollout)
  const second = useSelection((state) => state.second)
  const rollouts = useFiles((files) => files.rollouts)
  const rolloutsOfSecond = useSecond((state) => state.run?.rollouts ?? 0)
  const of = shownRollout({ rollout, second })
  const isThere = of !== null && of.index < (of.run === 'second' ? rolloutsOfSecond : rollouts)
  return isThere ? <SelectedOf rollout={of} /> : <span>no rollout selected</span>
}

function SelectedOf({ rollout }: { rollout: RolloutRef }) {
  const detail = useDetail(rollout)
  const token = useSelection((state) => state.token)
  const range = useSelection((state) => state.range)
  const states = detail.state === 'ready' ? detail.value.states : null
  const all = useMemo(() => (states === null ? null : tokensApartFromPadding(states, 0, states.length)), [states])
  if (states === null || all === null) return <span>… selected</span>
  if (states.length === 0) return <span>no tokens</span>
  const [start, end] = range ?? (token === null ? [0, 0] : [token, token + 1])
  const { tokens, padding } = tokensApartFromPadding(states, start, end)
  return (
    <span>
      {count(tokens)} of {counted(all.tokens, 'token')}
      {padding > 0 && ` and ${count(padding)} of padding`} selected
    </span>
  )
}

function Reading() {
  const phase = useFiles((files) => files.phase)
  const progress = useFiles((files) => files.progress)
  const following = useFiles((files) => files.following)
  const rate = useFiles((files) => files.rate)
  const report = useFiles((files) => files.report)
  const rollouts = useFiles((files) => files.rollouts)
  const judgedPart = useFiles(judgedOf)
  const skipped = skippedIn(report, progress?.skipped ?? 0)
  return (
    <span className="status-reading">
      {following && phase === 'reading' ? (
        <>
          <span>following, {counted(rollouts, 'rollout')} so far</span>
          <button type="button" className="link" onClick={() => void toggleFollow()}>
            End
          </button>
        </>
      ) : phase === 'reading' && (progress?.done || progress?.concluding !== undefined) ? (
        <>
          <progress max={1} value={progress.concluding} aria-label="Judging" />
          <span>judging {counted(rollouts, 'rollout')}</span>
          <button type="button" className="link" onClick={() => void stopJudging()}>
            Stop
          </button>
        </>
      ) : phase === 'reading' ? (
        <>
          <progress max={progress?.bytesTotal || 1} value={progress?.bytesRead ?? 0} aria-label="Reading" />
          <span>
            reading, {counted(rollouts, 'rollout')} so far
            {progress !== null && ` · ${bytes(progress.bytesRead)} of ${bytes(progress.bytesTotal)}`}
            {rate !== null && ` · ${bytes(rate)}/s`}
          </span>
          <button type="button" className="link" onClick={() => closeDump()}>
            Stop and close
          </button>
        </>
      ) : (
        <span>
          read {counted(rollouts, 'rollout')}
          {judgedPart !== null && `, ${judgedPart}`}
        </span>
      )}
      {phase === 'open' && judgedPart !== null && (
        <button type="button" className="link" onClick={() => void judgeRest()}>
          Judge all
        </button>
      )}
      {skipped !== '' ? (
        <button type="button" className="link warn-text" onClick={() => openDialog('skipped')}>
          {skipped} ▸
        </button>
      ) : (
        <span>nothing skipped</span>
      )}
    </span>
  )
}

/** A report that stands while more is read knows of fewer records than were skipped by then. */
function skippedIn(report: Report | null, reading: number): string {
  if (report === null && reading === 0) return ''
  const records = report?.sources.reduce((sum, source) => sum + source.skipped.length, 0) ?? 0
  if (report !== null && records >= reading) return skippedText(report.sources)
  return `${counted(reading, 'record')} skipped`
}
