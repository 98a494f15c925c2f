import type { Defect } from '../../../shared/model/report.ts'
import { showRollouts } from '../../commands/commands.ts'
import { count } from '../../text/numbers.ts'

/** Known defects of training code, recognised from the checks that fail together. */
export function DefectList({ defects }: { defects: readonly Defect[] }) {
  if (defects.length === 0) return null
  return (
    <section aria-labelledby="defects">
      <h2 id="defects">Known defects</h2>
      <ul className="defects">
        {defects.map((defect) => (
          <li key={defect.id} className="defect">
            <span className="defect-id">{defect.id}</span>
            <span className="defect-title">{defect.title}</span>
            <button type="button" className="link" onClick={() => showRollouts({ codes: defect.checks })}>
              {count(defect.places.affected)} of {count(defect.places.checked)} places
            </button>
            <span className="quiet">seen by {defect.checks.join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
