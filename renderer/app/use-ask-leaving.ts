import { useEffect } from 'react'

/** Has whoever leaves the page asked first while something is typed that is kept only once it is said to be. */
export function useAskLeaving(isUnkept: boolean): void {
  useEffect(() => {
    if (!isUnkept) return
    const ask = (event: Event) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isUnkept])
}
