import { useState } from 'react'
import { createPortal } from 'react-dom'
import type { Wait } from '../data/use-answer.ts'
import { byWords, type UnderWay, useUnderWay } from '../state/under-way.ts'
import { spelt } from '../text/visible.ts'
import { Late } from './late.tsx'

/** What is done that takes a while and has no place of its own to be told. */
export function UnderWayNow() {
  const jobs = useUnderWay((state) => state.jobs)
  // Another job begins to be late anew.
  return byWords(jobs).map((job) => <UnderWayNotice key={job.words} {...job} />)
}

/** Told while an earlier answer is still on screen. */
export function WaitingForAnother({ doing, wait }: { doing: string; wait: Wait }) {
  return <UnderWayNotice words={doing} stop={wait.stop} isAtOnce={false} />
}

/** Lies over the page and not in it: a picture of the page is without it. */
export function UnderWayNotice({ words, stop, isAtOnce }: UnderWay) {
  // A step that cannot be left halfway is ended first: whoever stopped it is not left to press again.
  const [isStopping, setStopping] = useState(false)
  const said = isStopping ? `Stopping: ${spelt(words)}` : spelt(words)
  const notice = (
    <p className="under-way" role="status">
      <progress aria-label={said} /> {said}…{' '}
      {stop !== null && !isStopping && (
        <button
          type="button"
          className="button small"
          onClick={() => {
            setStopping(true)
            stop()
          }}
        >
          Stop
        </button>
      )}
    </p>
  )
  return createPortal(isAtOnce ? notice : <Late>{notice}</Late>, pile())
}

let ownPile: HTMLElement | null = null

/** Where all of them lie, each above the one before it. */
function pile(): HTMLElement {
  if (ownPile === null) {
    ownPile = document.createElement('div')
    ownPile.className = 'all-under-way'
    document.body.append(ownPile)
  }
  return ownPile
}
