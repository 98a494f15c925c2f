import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'

/** A system may wait so long for the second click of a double one (milliseconds). */
const DOUBLE_CLICK = 1000

/** The page of one hypothesis or experiment: its title, what can be done with the whole of it, its texts, and what stands beside them. */
export function NotePage({
  title,
  actions,
  beside,
  besideLabel,
  onBack,
  onRemove,
  children,
}: {
  readonly title: ReactNode
  readonly actions?: ReactNode
  readonly beside: ReactNode
  readonly besideLabel: string
  readonly onBack: () => void
  /** Absent where there is nothing yet that could be taken out. */
  readonly onRemove?: () => void
  readonly children: ReactNode
}) {
  const headingId = useId()
  const article = useRef<HTMLElement>(null)
  const openedAt = useRef(performance.now())
  // What has no title yet is to be given one; else whoever came by key goes on by key.
  useEffect(() => {
    const field = article.current?.querySelector<HTMLElement>('[data-title]')
    const isNamed = !(field instanceof HTMLInputElement) || field.value !== ''
    const first = isNamed ? article.current?.querySelector<HTMLElement>('[data-back]') : field
    first?.focus({ preventScroll: isNamed })
  }, [])
  /** The second click of a double one was not meant for what has come under the pointer. */
  const holdSecondClick = (event: MouseEvent) => {
    if (event.detail < 2 || performance.now() - openedAt.current > DOUBLE_CLICK) return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <article
      ref={article}
      className="note-page"
      aria-labelledby={headingId}
      onMouseDownCapture={holdSecondClick}
      onClickCapture={holdSecondClick}
    >
      <header className="note-page-head">
        <button data-back type="button" className="button small" onClick={onBack}>
          ← Back
        </button>
        <h2 id={headingId}>{title}</h2>
        {actions}
      </header>
      <div className="note-columns">
        <div className="note-main">{children}</div>
        <aside className="note-side" aria-label={besideLabel}>
          {beside}
        </aside>
      </div>
      {onRemove !== undefined && (
        <footer className="note-page-foot">
          <button type="button" className="button small" onClick={onRemove}>
            Take out of the notebook
          </button>
        </footer>
      )}
    </article>
  )
}
