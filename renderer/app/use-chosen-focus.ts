import { type RefObject, useEffect } from 'react'

/** In a row of buttons or tabs, whoever has the focus in it stays with the one that is shown, also where a key shows another. */
export function useChosenFocus(row: RefObject<HTMLElement | null>, shown: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each that is shown
  useEffect(() => {
    if (row.current?.contains(document.activeElement)) focusChosen(row.current)
  }, [shown])
}

/** Gives the focus to the one of the row that is shown. */
export function focusChosen(row: HTMLElement | null): void {
  row?.querySelector<HTMLElement>(':is([aria-pressed="true"], [aria-selected="true"])')?.focus({ preventScroll: true })
}
