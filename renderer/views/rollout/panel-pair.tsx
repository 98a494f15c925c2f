import type { ReactNode } from 'react'

/** A name and what is known under it, one line of the token panel. */
export function Pair({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
