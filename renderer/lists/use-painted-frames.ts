import { useEffect, useState } from 'react'

/**
 * How many frames have been painted since a view came, up to `most`: what nobody sees at first is drawn in the frames after the one that somebody
 * waits for.
 */
export function usePaintedFrames(most: number): number {
  const [frames, setFrames] = useState(0)
  useEffect(() => {
    if (frames >= most) return
    let painted: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      painted = setTimeout(() => setFrames(frames + 1))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(painted)
    }
  }, [frames, most])
  return Math.min(frames, most)
}
