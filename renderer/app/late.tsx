import { type ReactNode, useEffect, useState } from 'react'

/** Waits shorter than this need no word (milliseconds). */
const LATE = 200

/** Shows what it holds once it has been there for a while. */
export function Late({ children }: { children: ReactNode }) {
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), LATE)
    return () => clearTimeout(timer)
  }, [])
  return isLate ? children : null
}
