import { useCallback } from 'react'
import { create } from 'zustand'

/** What a person opened, or closed, below lines that can be folded, by the name of the line. */
const useFolds = create<Readonly<Record<string, boolean>>>()(() => ({}))

/** How far the scrolling parts of views are scrolled, by their names: pixels, or what a long list takes for them. */
const scrolls = new Map<string, number>()

/** The row that was selected when a long list was last on screen, by the list's name; null where none was. */
const shownRows = new Map<string, number | null>()

/** The list of the questions that two runs share. */
const PAIRS = 'pair list'

/** A fold that is as it was left when its view comes back; `name` is its own in the whole page. */
export function useKeptFold(
  name: string,
  openAtFirst = false,
): readonly [isOpen: boolean, setOpen: (open: boolean) => void] {
  const isOpen = useFolds((folds) => folds[name] ?? openAtFirst)
  const setOpen = useCallback((open: boolean) => useFolds.setState({ [name]: open }), [name])
  return [isOpen, setOpen]
}

export function keptScroll(name: string): number {
  return scrolls.get(name) ?? 0
}

export function keepScroll(name: string, top: number): void {
  scrolls.set(name, top)
}

/** Whether the list was left with this row selected: it comes back where it was scrolled to, be the row in sight or not. */
export function wasShown(name: string, row: number | null): boolean {
  return shownRows.get(name) === row
}

export function keepShown(name: string, row: number | null): void {
  shownRows.set(name, row)
}

/** Another second run has other measures and pairs. */
export function forgetKeptOfCompare(): void {
  const others = Object.entries(useFolds.getState()).filter(([name]) => !name.startsWith('compare '))
  useFolds.setState(Object.fromEntries(others), true)
  for (const name of scrolls.keys()) if (name.startsWith('compare ') || name === PAIRS) scrolls.delete(name)
  shownRows.delete(PAIRS)
}

/** Another dump has other lines. What belongs to the notebook belongs to no dump. */
export function forgetKept(): void {
  useFolds.setState({}, true)
  shownRows.clear()
  for (const name of scrolls.keys()) if (!name.startsWith('notebook')) scrolls.delete(name)
}
