import type { ReactNode } from 'react'
import { bringIntoSight } from '../lists/into-sight.ts'
import { useKeptFold } from '../state/kept.ts'

/** What opens below its line, and is as it was left when its view comes back. */
export function KeptDetails(props: {
  /** Its own in the whole page. */
  readonly name: string
  readonly summary: ReactNode
  readonly openAtFirst?: boolean
  readonly className?: string
  readonly children: ReactNode
}) {
  const { name, summary, openAtFirst = false, className, children } = props
  const [isOpen, setOpen] = useKeptFold(name, openAtFirst)
  return (
    <details
      className={className}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        // It is also told of what the page opens, which is nothing that a person left so.
        if (currentTarget.open === isOpen) return
        setOpen(currentTarget.open)
        if (currentTarget.open) bringIntoSight(currentTarget, currentTarget.firstElementChild)
      }}
    >
      <summary>{summary}</summary>
      {children}
    </details>
  )
}
