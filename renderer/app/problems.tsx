import { dismissProblem, useFiles } from '../state/files.ts'
import { inApp } from '../text/app-words.ts'
import { spelt } from '../text/visible.ts'
import { MapButton } from './map-button.tsx'

/** What went wrong, in sentences, until it is dismissed. */
export function Problems() {
  const problems = useFiles((files) => files.problems)
  if (problems.length === 0) return null
  return (
    <div className="problems" role="alert">
      {problems.map((sentence) => (
        <p key={sentence} className="problem">
          <span aria-hidden="true" className="problem-glyph">
            ✖
          </span>
          <span className="problem-text">{spelt(inApp(sentence))}</span>
          <MapButton message={sentence} />
          <button type="button" className="icon-button" aria-label="Dismiss" onClick={() => dismissProblem(sentence)}>
            ✕
          </button>
        </p>
      ))}
    </div>
  )
}
