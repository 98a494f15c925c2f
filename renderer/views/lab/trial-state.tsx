import type { ReactNode } from 'react'
import type { LabBasis } from '../../../shared/session/requests/lab.ts'
import { UnderWayNotice } from '../../app/under-way.tsx'
import { WithCode } from '../../app/with-code.tsx'
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

/** That none of the rollouts holds token ids, what therefore cannot be told, and how a run would come to hold them. */
export function WithoutIds({ basis, so, children }: { basis: LabBasis; so: string; children?: ReactNode }) {
  return (
    <p className="quiet">
      There are no token ids here, so {so}. <WithCode text={basis.howToRecordIds ?? ''} />
      {children}
    </p>
  )
}

/** From which rollouts the numbers are, where it is not all of them; where it is none there are no numbers. */
export function Basis({ basis }: { basis: LabBasis }) {
  const { lookedInto, rollouts } = basis
  if (lookedInto === rollouts || lookedInto === 0) return null
  return (
    <p className="quiet">
      From {count(lookedInto)} of {counted(rollouts, 'rollout')}: those that hold token ids, evenly spread over the dump
      where it is large.
    </p>
  )
}
