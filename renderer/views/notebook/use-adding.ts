import { type RefObject, useEffect, useRef } from 'react'

/**
 * A list that a button adds to. What was added has the focus, and the button has it once something was taken out: left to nobody, what is typed
 * next would be keys of the page.
 */
export function useAdding<List extends HTMLElement>(
  length: number,
): { readonly list: RefObject<List | null>; readonly button: RefObject<HTMLButtonElement | null>; changes(): void } {
  const list = useRef<List>(null)
  const button = useRef<HTMLButtonElement>(null)
  /** Entries before the change of this window; another window's change leaves the focus where it is. */
  const before = useRef<number | null>(null)
  useEffect(() => {
    if (before.current === null || before.current === length) return
    const isLonger = length > before.current
    before.current = null
    const added = list.current?.lastElementChild?.querySelector<HTMLElement>('textarea, input[type="text"]')
    ;(isLonger ? added : button.current)?.focus()
  }, [length])
  return {
    list,
    button,
    changes: () => {
      before.current = length
    },
  }
}
