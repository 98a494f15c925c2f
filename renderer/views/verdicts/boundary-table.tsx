import type { TextTable } from '../../../shared/exports/table-text.ts'
import type { CheckResult } from '../../../shared/model/report.ts'
import type { BoundaryRow } from '../../../shared/session/protocol.ts'
import { SaveTableButton } from '../../app/save-table-button.tsx'
import { showRollouts } from '../../commands/go.ts'
import { useBoundaries } from '../../data/boundaries.ts'
import { ABSENT, percent } from '../../text/numbers.ts'
import { codesAt } from './edge-codes.ts'
import { NumberLink, ShowLink } from './number-link.tsx'

const COLUMNS = [
  { key: 'header', title: 'header as it should be' },
  { key: 'end', title: 'end token' },
  { key: 'newline', title: 'newline after it' },
  { key: 'mask', title: 'mask' },
] as const

/** For every kind of turn edge, the share that is as it should be. */
export function BoundaryTable({ checks }: { checks: readonly CheckResult[] }) {
  const rows = useBoundaries()
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="boundaries">
      <div className="table-title">
        <h2 id="boundaries">Turn edges</h2>
        <SaveTableButton what="the turn edges" stem="turn-edges" table={() => edgeTable(rows)} />
      </div>
      <table className="boundary-table">
        <thead>
          <tr>
            <th scope="col">edge</th>
            <th scope="col" className="number">
              edges
            </th>
            {COLUMNS.map((column) => (
              <th key={column.key} scope="col" className="number">
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.boundary}>
              <th scope="row">
                <EdgeName boundary={row.boundary} />
              </th>
              <td className="number">
                <NumberLink
                  value={row.edges}
                  behind={{ query: `edge:${row.boundary}` }}
                  title="Show the rollouts with such an edge"
                />
              </td>
              {COLUMNS.map((column) => (
                <td key={column.key} className="number">
                  <ShareCell
                    share={row[column.key]}
                    edge={row.boundary}
                    codes={codesAt(checks, row.boundary, column.key)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function edgeTable(rows: readonly BoundaryRow[]): TextTable {
  return {
    columns: ['edge', 'edges', ...COLUMNS.map(({ key }) => key)],
    rows: rows.map((row) => [row.boundary, row.edges, ...COLUMNS.map(({ key }) => row[key])]),
  }
}

export function EdgeName({ boundary }: { boundary: string }) {
  const [before, after] = boundary.split('>')
  return (
    <span className="edge-name" title={after === 'end' ? 'where the last turn of the rollout ends' : undefined}>
      {before} <span aria-hidden="true">→</span>
      <span className="visually-hidden">to</span> {after}
    </span>
  )
}

function ShareCell({ share, edge, codes }: { share: number | null; edge: string; codes: readonly string[] }) {
  if (share === null) return <span title="nothing to look at">{ABSENT}</span>
  if (share === 1 || codes.length === 0) {
    return (
      <span className={share === 1 ? 'ok-text' : undefined}>
        {share === 1 && '✓ '}
        <ShowLink behind={{ query: `edge:${edge}` }} title="Show the rollouts with such an edge">
          {percent(share)}
        </ShowLink>
      </span>
    )
  }
  return (
    <button
      type="button"
      className="link share-bad"
      title={`Show the rollouts with ${codes.join(', ')}`}
      onClick={() => showRollouts({ codes })}
    >
      <span aria-hidden="true">✗</span> {percent(share)}
    </button>
  )
}
