import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { useScrollFocus } from '../../lists/use-scroll-focus.ts'
import { count } from '../../text/numbers.ts'
import { findInText } from './find-in-text.ts'
import { RawText } from './raw-text.tsx'

/** The record as it stands in the file, with a search. */
export function RawRecord({ detail }: { detail: TrajectoryDetail }) {
  const [typed, setTyped] = useState('')
  const wanted = useDeferredValue(typed)
  const [at, setAt] = useState(0)
  const found = useMemo(() => findInText(detail.raw, wanted), [detail, wanted])
  const text = useRef<HTMLPreElement>(null)
  useScrollFocus(text)
  const current = found.starts.length === 0 ? 0 : at % found.starts.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: the mark moves with the hit
  useEffect(() => {
    text.current?.querySelector('.current-hit')?.scrollIntoView({ block: 'center' })
  }, [current, found])
  const step = (by: 1 | -1) => {
    if (found.starts.length > 0) setAt((current + by + found.starts.length) % found.starts.length)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape') {
      setTyped('')
      text.current?.focus()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="raw">
      <search className="raw-search">
        <input
          type="search"
          aria-label="Find in this record"
          placeholder="Find in this record…"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            setAt(0)
          }}
          onKeyDown={press}
        />
        <button type="button" className="icon-button" aria-label="Previous hit" onClick={() => step(-1)}>
          ‹
        </button>
        <button type="button" className="icon-button" aria-label="Next hit" onClick={() => step(1)}>
          ›
        </button>
        <span className="quiet" role="status">
          {wanted !== '' && (found.total === 0 ? 'not found' : `${count(current + 1)} of ${count(found.total)}`)}
        </span>
      </search>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the text is scrolled with the keyboard */}
      <pre ref={text} className="raw-record" tabIndex={0}>
        <RawText text={detail.raw} starts={found.starts} length={wanted.length} current={current} />
      </pre>
    </div>
  )
}
