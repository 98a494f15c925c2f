import { useEffect } from 'react'
import { hush, openDialog, useView } from '../state/view.ts'
import { isPossible } from './command.ts'
import { COMMANDS } from './commands.ts'
import { isTyping, matches } from './keys.ts'

/** Keys that a focused control understands by itself. */
const CONTROL_KEYS = new Set(['Enter', ' ', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End'])

/** Gives commands by key, for as long as the page lives. */
export function useHotkeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Beside whatever else it does.
      if (event.key === 'Escape') hush()
      if (event.defaultPrevented) return
      const typing = isTyping(event.target)
      if (typing && useView.getState().dialog !== null) return
      if (useView.getState().dialog !== null) {
        if (event.key === 'Escape') openDialog(null)
        return
      }
      if (CONTROL_KEYS.has(event.key) && ownsKey(event.target, event)) return
      const command = COMMANDS.find(
        (candidate) =>
          (!typing || candidate.whileTyping) &&
          candidate.keys.some((key) => matches(key, event)) &&
          isPossible(candidate),
      )
      if (command === undefined) return
      event.preventDefault()
      command.run()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

/** A button that was clicked keeps the focus, and does nothing by an arrow key to the side; nothing but a field does by one with Shift. */
function ownsKey(target: EventTarget | null, { key, shiftKey }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  const isToTheSide = key === 'ArrowLeft' || key === 'ArrowRight'
  if (isToTheSide && shiftKey) return target.closest('input') !== null
  if (target.closest('[role=slider], [role=tab], input') !== null) return true
  return !isToTheSide && target.closest('button, a[href], summary') !== null
}
