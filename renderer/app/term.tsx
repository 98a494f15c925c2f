import { type ReactNode, useId } from 'react'

/** A word whose meaning is shown while the pointer or the focus is on it. Escape hides it. */
export function Term({ what, children }: { readonly what: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    <span className="term">
      <button
        type="button"
        aria-describedby={id}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          event.currentTarget.blur()
        }}
      >
        {children}
      </button>
      <span id={id} role="tooltip" className="term-tip">
        {what}
      </span>
    </span>
  )
}
