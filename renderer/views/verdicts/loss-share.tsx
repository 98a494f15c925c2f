import type { Report } from '../../../shared/model/report.ts'
import { PARTS } from '../../../shared/model/tokens.ts'
import { showRollouts } from '../../commands/go.ts'
import { ABSENT, count, NOT_IN_DUMP, percent } from '../../text/numbers.ts'
import { PART_CHECKS, PART_WORDS } from '../../text/words.ts'

const STATES = ['trained', 'masked', 'padding', 'unknown'] as const

/** All tokens by state, as one bar. Lost text is no part of it: it is not in any sequence. */
export function TokenTotals({ totals }: { totals: Report['totals'] }) {
  const { tokens } = totals
  return (
    <div className="token-totals">
      <div className="totals-bar" aria-hidden="true">
        {STATES.map(
          (state) =>
            tokens[state] > 0 && (
              <span
                key={state}
                className={`totals-part ${state}`}
                style={{ flexGrow: tokens[state] / Math.max(1, tokens.total) }}
              />
            ),
        )}
      </div>
      <ul className="totals-legend">
        {STATES.map(
          (state) =>
            tokens[state] > 0 && (
              <li key={state}>
                <span className={`swatch ${state}`} aria-hidden="true" /> {state}{' '}
                {percent(tokens[state] / Math.max(1, tokens.total))}
                <span className="quiet"> {count(tokens[state])}</span>
              </li>
            ),
        )}
        {tokens.lost > 0 && (
          <li>
            <span aria-hidden="true">✂</span> lost {count(tokens.lost)}
          </li>
        )}
      </ul>
    </div>
  )
}

export function LossByPart({ report }: { report: Report }) {
  const parts = PARTS.filter((part) => (report.totals.by_part[part]?.total ?? 0) > 0)
  if (parts.length === 0) return <p className="quiet">Without token ids no part can be told from another.</p>
  const failed = new Set(report.checks.filter((check) => check.status === 'fail').map((check) => check.code))
  return (
    <table className="part-table">
      <thead>
        <tr>
          <th scope="col">part of the conversation</th>
          <th scope="col">trained share</th>
          <th scope="col" className="number">
            trained
          </th>
          <th scope="col" className="number">
            of tokens
          </th>
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => {
          const { total, trained } = report.totals.by_part[part]
          const codes = (PART_CHECKS[part] ?? []).filter((code) => failed.has(code))
          return (
            <tr key={part}>
              <th scope="row">{PART_WORDS[part]}</th>
              <td>
                {trained === null ? <span className="quiet">{NOT_IN_DUMP}</span> : <ShareBar share={trained / total} />}
              </td>
              <td className="number">
                {trained === null ? (
                  ABSENT
                ) : (
                  <button
                    type="button"
                    className="link"
                    title={codes.length > 0 ? `Show the rollouts with ${codes.join(', ')}` : 'Show all rollouts'}
                    onClick={() => showRollouts({ codes })}
                  >
                    {count(trained)}
                  </button>
                )}
              </td>
              <td className="number">{count(total)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** A share as a bar and as a number. */
export function ShareBar({ share }: { share: number }) {
  return (
    <span className="share">
      <span className="share-bar" aria-hidden="true">
        <span className="share-fill" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="number">{percent(share)}</span>
    </span>
  )
}
