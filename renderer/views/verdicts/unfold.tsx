import { type ReactNode, useId } from 'react'
import { flushSync } from 'react-dom'
import { bringIntoSight } from '../../lists/into-sight.ts'
import { useKeptFold } from '../../state/kept.ts'

/** Whether something stands open below its line, the id of its place, and how to open or close it. */
export interface Fold {
  readonly isOpen: boolean
  readonly body: string
  toggle(): void
}

/** @param name its own in the whole page: it is as it was left when the view comes back */
export function useFold(name: string): Fold {
  const [isOpen, setOpen] = useKeptFold(name)
  const body = useId()
  const toggle = () => {
    // Drawn before it is looked for.
    flushSync(() => setOpen(!isOpen))
    if (!isOpen) bringIntoSight(document.getElementById(body), document.querySelector(`[aria-controls="${body}"]`))
  }
  return { isOpen, body, toggle }
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
