import { type RefObject, useEffect } from 'react'
import { useView } from '../state/view.ts'

/**
 * Gives the focus to what is scrolled, since keys scroll nothing else, whenever its view is shown and once it is there. What has the
 * focus inside of the view, or in a dialog over it, keeps it.
 *
 * @param isThere false as long as what scrolls is on its way
 */
export function useScrollFocus(scroller: RefObject<HTMLElement | null>, isThere = true): void {
  const shown = useView((state) => state.shown)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is given once for each time the view is shown
  useEffect(() => {
    if (isThere && document.activeElement?.closest('.view, dialog') == null) {
      scroller.current?.focus({ preventScroll: true })
    }
  }, [scroller, shown, isThere])
}
