import { counted, percent } from '../text/numbers.ts'
import { spelt } from '../text/visible.ts'

/** Evidence for a choice, as the engine found it. */
export function Evidence({ confidence, evidence }: { confidence?: number; evidence: readonly string[] }) {
  return (
    <>
      {confidence !== undefined && <p className="quiet">Confidence {percent(confidence)}</p>}
      {evidence.length > 0 && (
        <ul className="evidence" aria-label={counted(evidence.length, 'reason')}>
          {evidence.map((line) => (
            <li key={line}>{spelt(line)}</li>
          ))}
        </ul>
      )}
    </>
  )
}
