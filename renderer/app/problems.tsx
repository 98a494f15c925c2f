import { showRollouts } from '../commands/go.ts'
import { dismissProblem, useFiles } from '../state/files.ts'
import { inApp } from '../text/app-words.ts'
import { spelt } from '../text/visible.ts'
import { MapButton } from './map-button.tsx'
import { WithCode } from './with-code.tsx'

/** What went wrong, and what happened to followed files, in sentences, until it is dismissed. */
export function Problems() {
  const problems = useFiles((files) => files.problems)
  const happened = useFiles((files) => files.happened)
  return (
    <>
      {problems.length > 0 && (
        <div className="problems" role="alert">
          {problems.map((sentence) => (
            <Told key={sentence} sentence={sentence} glyph="✖" className="problem" />
          ))}
        </div>
      )}
      {happened.length > 0 && (
        <div className="problems" role="status">
          {happened.map((sentence) => (
            <Told key={sentence} sentence={sentence} glyph="◇" className="problem happened" />
          ))}
        </div>
      )}
    </>
  )
}

function Told({ sentence, glyph, className }: { sentence: string; glyph: string; className: string }) {
  const fault = useFiles((files) => (files.fault?.sentence === sentence ? files.fault : null))
  return (
    <p className={className}>
      <span aria-hidden="true" className="problem-glyph">
        {glyph}
      </span>
      <span className="problem-text">
        {fault !== null && <strong>The first fault at error level while this run is followed: </strong>}
        <WithCode text={spelt(inApp(sentence))} />
      </span>
      {fault !== null && (
        <button type="button" className="button small" onClick={() => showRollouts({ codes: [fault.code] })}>
          Rollouts with {fault.code}
        </button>
      )}
      <MapButton message={sentence} />
      <button type="button" className="icon-button" aria-label="Dismiss" onClick={() => dismissProblem(sentence)}>
        ✕
      </button>
    </p>
  )
}
