import { useEffect, useState } from 'react'
import { useExporting } from '../state/exporting.ts'
import { count } from '../text/numbers.ts'

/** What is over sooner needs no word, in milliseconds. */
const QUIET = 200

/** How far an export is that takes a while, and a way to stop it. */
export function ExportLine() {
  const job = useExporting((state) => state.job)
  const isUnderWay = job !== null
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isUnderWay) return
    const timer = setTimeout(() => setLong(true), QUIET)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [isUnderWay])
  if (job === null || !isLong) return null
  const { done, of, hashing = false } = job.progress ?? { done: 0, of: 0 }
  return (
    <span className="status-export">
      <progress max={Math.max(1, of)} value={done} aria-label={`Exporting ${job.what}`} />
      <span>
        exporting {job.what}
        {hashing ? ', waiting for the SHA-256 of its files' : of > 0 && `, ${count(done)} read again`}
      </span>
      <button type="button" className="link" onClick={job.stop}>
        Stop export
      </button>
    </span>
  )
}
