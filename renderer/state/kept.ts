import { useCallback } from 'react'
import { create } from 'zustand'

/** What a person opened, or closed, below lines that can be folded, by the name of the line. */
const useFolds = create<Readonly<Record<string, boolean>>>()(() => ({}))

/** How far the scrolling parts of views are scrolled, by their names: pixels, or what a long list takes for them. */
const scrolls = new Map<string, number>()

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

/** Another dump has other lines. What belongs to the notebook belongs to no dump. */
export function forgetKept(): void {
  useFolds.setState({}, true)
  for (const name of scrolls.keys()) if (!name.startsWith('notebook')) scrolls.delete(name)
}
