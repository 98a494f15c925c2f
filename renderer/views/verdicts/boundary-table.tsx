import type { BoundaryRow } from '../../../shared/session/protocol.ts'
import { showRollouts } from '../../commands/commands.ts'
import { useBoundaries } from '../../data/boundaries.ts'
import { ABSENT, count, percent } from '../../text/numbers.ts'

/** What a share in each column is decided by; the rollouts behind it are those with one of these findings. */
const COLUMNS = [
  { key: 'header', title: 'header as it should be', codes: ['T05'] },
  { key: 'end', title: 'end token', codes: ['M10', 'C03'] },
  { key: 'newline', title: 'newline after it', codes: ['T04'] },
  { key: 'mask', title: 'mask', codes: ['M01', 'M02', 'M03', 'M05', 'M06', 'M08', 'M09', 'M10', 'M11'] },
] as const

/** For every kind of turn edge, the share that is as it should be. */
export function BoundaryTable() {
  const rows = useBoundaries()
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="boundaries">
      <h2 id="boundaries">Turn edges</h2>
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
              <td className="number">{count(row.edges)}</td>
              {COLUMNS.map((column) => (
                <td key={column.key} className="number">
                  <ShareCell row={row} column={column} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

export function EdgeName({ boundary }: { boundary: string }) {
  const [before, after] = boundary.split('>')
  return (
    <span className="edge-name">
      {before} <span aria-hidden="true">→</span>
      <span className="visually-hidden">to</span> {after}
    </span>
  )
}

function ShareCell({ row, column }: { row: BoundaryRow; column: (typeof COLUMNS)[number] }) {
  const share = row[column.key]
  if (share === null) return <span title="nothing to look at">{ABSENT}</span>
  if (share === 1) return <span className="ok-text">✓ 100 %</span>
  return (
    <button type="button" className="link share-bad" onClick={() => showRollouts({ codes: column.codes })}>
      <span aria-hidden="true">▲</span> {percent(share)}
    </button>
  )
}
