import type { ReactNode } from 'react'
import { showCheck } from '../state/view.ts'

/** A code that opens the page of its check. */
export function CheckName({ code, id, children = code }: { code: string; id?: string; children?: ReactNode }) {
  return (
    <button
      type="button"
      id={id}
      className="link check-name"
      aria-haspopup="dialog"
      title={`What ${code} is, and what to do about it`}
      onClick={() => showCheck(code)}
    >
      {children}
    </button>
  )
}
