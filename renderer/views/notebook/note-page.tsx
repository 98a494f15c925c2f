import { type ReactNode, useEffect, useId, useRef } from 'react'

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
  readonly onRemove: () => void
  readonly children: ReactNode
}) {
  const headingId = useId()
  const back = useRef<HTMLButtonElement>(null)
  useEffect(() => back.current?.focus({ preventScroll: true }), [])
  return (
    <article className="note-page" aria-labelledby={headingId}>
      <header className="note-page-head">
        <button ref={back} type="button" className="button small" onClick={onBack}>
          ← Back
        </button>
        <h2 id={headingId}>{title}</h2>
        {actions}
        <button type="button" className="button small" onClick={onRemove}>
          Take out of the notebook
        </button>
      </header>
      <div className="note-columns">
        <div className="note-main">{children}</div>
        <aside className="note-side" aria-label={besideLabel}>
          {beside}
        </aside>
      </div>
    </article>
  )
}
