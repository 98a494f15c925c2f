import type { Wait } from '../data/use-answer.ts'
import { Late } from './late.tsx'

/** Said while an answer is waited for that may take long: how far it is, and a way to stop it. */
export function Waiting({ doing, wait }: { doing: string; wait: Wait }) {
  if (wait.isStopped) {
    return (
      <p className="nothing quiet" role="status">
        {doing}: stopped.{' '}
        <button type="button" className="button small" onClick={wait.again}>
          Go on
        </button>
      </p>
    )
  }
  return (
    <p className="nothing quiet" role="status">
      {doing}…{' '}
      <Late>
        <progress max={1} value={wait.share ?? undefined} aria-label={doing} />{' '}
        <button type="button" className="button small" onClick={wait.stop}>
          Stop
        </button>
      </Late>
    </p>
  )
}
