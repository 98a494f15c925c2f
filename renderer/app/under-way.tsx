import { createPortal } from 'react-dom'
import { type UnderWay, useUnderWay } from '../state/under-way.ts'
import { spelt } from '../text/visible.ts'
import { Late } from './late.tsx'

/** What is done that takes a while and has no place of its own to be told. */
export function UnderWayNow() {
  const jobs = useUnderWay((state) => state.jobs)
  const [job] = jobs
  // Another job begins to be late anew.
  return job === undefined ? null : <UnderWayNotice key={job.words} {...job} />
}

/** Lies over the page and not in it: a picture of the page is without it. */
export function UnderWayNotice({ words, stop, isAtOnce }: UnderWay) {
  const notice = (
    <p className="under-way" role="status">
      <progress aria-label={spelt(words)} /> {spelt(words)}…{' '}
      {stop !== null && (
        <button type="button" className="button small" onClick={stop}>
          Stop
        </button>
      )}
    </p>
  )
  return createPortal(isAtOnce ? notice : <Late>{notice}</Late>, document.body)
}
