import { type ReactNode, useId, useState } from 'react'

/** Whether something stands open below its line, the id of its place, and how to open or close it. */
export interface Fold {
  readonly isOpen: boolean
  readonly body: string
  toggle(): void
}

export function useFold(): Fold {
  const [isOpen, setOpen] = useState(false)
  return { isOpen, body: useId(), toggle: () => setOpen(!isOpen) }
}

/** Opens and closes what lies below its line. `label` where the arrow stands alone. */
export function FoldButton(props: {
  fold: Fold
  label?: string
  className: string
  id?: string
  children?: ReactNode
}) {
  const { fold, label, className, id, children } = props
  return (
    <button
      type="button"
      id={id}
      className={className}
      aria-expanded={fold.isOpen}
      aria-controls={fold.body}
      aria-label={label}
      onClick={fold.toggle}
    >
      <span aria-hidden="true">{fold.isOpen ? '▾' : '▸'}</span>
      {children}
    </button>
  )
}
