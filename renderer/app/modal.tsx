import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { openDialog } from '../state/view.ts'
import { spelt } from '../text/visible.ts'

/** A modal dialog over everything. Escape and a click beside it close it; focus returns to where it was. */
export function Modal({
  title,
  children,
  onClose = () => openDialog(null),
}: {
  readonly title: string
  readonly children: ReactNode
  readonly onClose?: () => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  // A dialog gives the focus back only if it is closed before it leaves the page, which effects of the other kind are too late for.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    element?.querySelector<HTMLElement>('[data-first-focus]')?.focus()
    return () => element?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the dialog's own key; the click is on what lies beside it
    <dialog
      ref={dialog}
      className="modal"
      aria-label={spelt(title)}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div className="modal-body">
        <header className="modal-head">
          <h2>{spelt(title)}</h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
