import type { LabBasis } from '../../../shared/session/requests/lab.ts'
import { UnderWayNotice } from '../../app/under-way.tsx'
import { count, counted, percent } from '../../text/numbers.ts'
import type { Trial } from './use-trial.ts'

/** How far a trial is, why it failed, or that it was stopped; nothing while its answer stands. */
export function TrialState({ trial, doing }: { trial: Trial<unknown>; doing: string }) {
  const { progress, failure, isStopped, result, isStale, isAsked } = trial
  if (failure !== null) {
    return (
      <p className="error-text" role="alert">
        ✖ {failure}
      </p>
    )
  }
  if (isStopped) {
    return (
      <p className="lab-state">
        Stopped.{' '}
        <button type="button" className="button small" onClick={trial.again}>
          Go on
        </button>
      </p>
    )
  }
  if (progress !== null) {
    return (
      <p className="lab-state" role="status">
        {doing}: {progress.of > 0 ? percent(progress.done / progress.of) : 'begins'}{' '}
        <progress value={progress.done} max={Math.max(1, progress.of)} aria-label={doing} />{' '}
        <button type="button" className="button small" onClick={trial.stop}>
          Stop
        </button>
      </p>
    )
  }
  if (result === null) return <p className="quiet lab-state">{doing}…</p>
  // The last answer stays where it is, and what is said lies over it.
  return isStale && isAsked ? <UnderWayNotice words={doing} stop={trial.stop} isAtOnce={false} /> : null
}

/** From which rollouts the numbers are, where it is not all of them. */
export function Basis({ basis }: { basis: LabBasis }) {
  const { lookedInto, rollouts } = basis
  if (lookedInto === rollouts) return null
  return (
    <p className="quiet">
      From {count(lookedInto)} of {counted(rollouts, 'rollout')}: those that hold token ids, evenly spread over the dump
      where it is large.
    </p>
  )
}
