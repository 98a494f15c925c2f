import { type FocusEvent, type KeyboardEvent, useRef } from 'react'

/** Of a field that is taken as it is typed: Enter leaves it, Escape leaves it with what it held when it was entered. */
export function useFieldKeys(takeBack: (before: string) => void): {
  onFocus(event: FocusEvent<HTMLInputElement>): void
  onKeyDown(event: KeyboardEvent<HTMLInputElement>): void
} {
  const before = useRef('')
  return {
    onFocus: (event) => {
      before.current = event.currentTarget.value
    },
    onKeyDown: (event) => {
      if (event.key !== 'Enter' && event.key !== 'Escape') return
      event.preventDefault()
      if (event.key === 'Escape' && event.currentTarget.value !== before.current) takeBack(before.current)
      event.currentTarget.blur()
    },
  }
}
