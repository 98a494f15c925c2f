import type { MeasureUnit } from '../../../shared/session/requests/compare.ts'
import { SaveTableButton } from '../../app/save-table-button.tsx'
import { count } from '../../text/numbers.ts'
import { FoldButton, useFold } from '../verdicts/unfold.tsx'
import { savedSteps } from './saved-steps.ts'
import type { StepOpening } from './step-chart.tsx'
import {
  allPoints,
  bareStepsWords,
  columnDecimals,
  columnWords,
  exactWords,
  type StepLine,
  type Steps,
  valueAt,
} from './step-words.ts'

/** Rows that are drawn; what is saved has all of them. */
const MOST_ROWS = 500

/** A column of the table: a line, what it is called and its unit. */
export interface StepColumn {
  readonly title: string
  readonly unit: MeasureUnit
  readonly line: StepLine
}

/** The numbers that charts are drawn from, step by step. `name` is its own in the whole page, `what` stands behind “Save”. */
export function StepTable(props: {
  readonly name: string
  readonly what: string
  readonly stem: string
  readonly columns: readonly StepColumn[]
  readonly stepWords?: (at: number) => string
  readonly opens?: StepOpening
}) {
  const { name, what, stem, columns, opens } = props
  const fold = useFold(`table ${name}`)
  const points = fold.isOpen ? allPoints(columns.map(({ line }) => line)) : []
  const decimals = fold.isOpen ? columns.map(({ line, unit }) => columnDecimals(line.values, unit)) : []
  const wordsOf = props.stepWords ?? ((at: number) => bareStepsWords(points[at] as Steps))
  return (
    <div className="step-table">
      <p className="table-title">
        <FoldButton fold={fold} className="step-table-fold">
          {' '}
          The numbers, step by step
        </FoldButton>
        {fold.isOpen && <SaveTableButton what={what} stem={stem} table={() => savedSteps(columns)} />}
      </p>
      <div id={fold.body} className="step-table-body" hidden={!fold.isOpen}>
        {fold.isOpen && (
          <table>
            <caption className="visually-hidden">{what}</caption>
            <thead>
              <tr>
                <th scope="col">step</th>
                {columns.map(({ title, unit }) => (
                  <th key={title} scope="col" className="number">
                    {title}
                    {(unit === 'nats' || unit === 'tokens') && <span className="quiet"> {unit}</span>}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.slice(0, MOST_ROWS).map((point, at) => (
                <tr key={`${point.from} ${point.to}`}>
                  <th scope="row">
                    {opens === undefined || opens.has?.(at) === false ? (
                      wordsOf(at)
                    ) : (
                      <button
                        type="button"
                        className="link"
                        title={`Enter ${opens.what}`}
                        onClick={() => opens.open(at)}
                      >
                        {wordsOf(at)}
                      </button>
                    )}
                  </th>
                  {columns.map(({ title, unit, line }, column) => (
                    <td key={title} className="number" title={exactWords(valueAt(line, point), unit)}>
                      {columnWords(valueAt(line, point), unit, decimals[column] ?? 0)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {points.length > MOST_ROWS && (
          <p className="quiet">
            The first {count(MOST_ROWS)} of {count(points.length)} rows; what is saved has all of them.
          </p>
        )}
      </div>
    </div>
  )
}
