import type { CheckResult, Report, Severity } from '../../../shared/model/report.ts'
import { CheckName } from '../../app/check-dialog.tsx'
import { openRollout, showRollouts } from '../../commands/commands.ts'
import { sentenceOf } from '../../engine/client.ts'
import { ask } from '../../engine/engine.ts'
import { addProblem } from '../../state/files.ts'
import { jumpTo } from '../../state/selection.ts'
import { count, counted, percent } from '../../text/numbers.ts'
import { SEVERITY_WORDS, STATUS_WORDS } from '../../text/words.ts'

const UNIT_WORDS = { trajectory: 'rollout', group: 'group', source: 'file' } as const
/** Bars drawn for the turns of one check. */
const MOST_TURNS = 16
const ORDER: readonly Severity[] = ['error', 'warning', 'info']

export function FailedChecks({ report }: { report: Report }) {
  const failed = report.checks
    .filter((check) => check.status === 'fail')
    .sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity) || (b.rate ?? 0) - (a.rate ?? 0))
  return (
    <section aria-labelledby="failed-checks">
      <h2 id="failed-checks">Faults</h2>
      {failed.length === 0 ? (
        <p className="quiet">
          {report.checks.some((check) => check.status === 'pass')
            ? 'No check that could run found a fault.'
            : 'No check could look at these rollouts; why stands below.'}
        </p>
      ) : (
        <table className="check-table">
          <thead>
            <tr>
              <th scope="col">fault</th>
              <th scope="col">rate</th>
              <th scope="col">in</th>
              <th scope="col">pattern</th>
              <th scope="col">by assistant turn</th>
              <th scope="col">
                <span className="visually-hidden">example</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {failed.map((check) => (
              <FailedCheck key={check.code} check={check} report={report} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function FailedCheck({ check, report }: { check: CheckResult; report: Report }) {
  const first = report.findings.find((finding) => finding.code === check.code && finding.record !== null)
  const { glyph, name } = SEVERITY_WORDS[check.severity]
  const example = async () => {
    if (first === undefined || first.record === null) return
    try {
      const { index } = await ask('locate', {
        source: first.source,
        record: first.record,
        part: first.part ?? 0,
      })
      openRollout(index)
      if (first.tokens !== null) jumpTo(first.tokens[0], first.tokens)
    } catch (error) {
      addProblem(sentenceOf(error))
    }
  }
  return (
    <tr>
      <th scope="row">
        <span className={`severity ${check.severity}`} title={name}>
          <span aria-hidden="true">{glyph}</span>
          <span className="visually-hidden">{name}</span> <CheckName code={check.code} />
        </span>{' '}
        <span className="check-title">{check.title}</span>
      </th>
      <td>
        <RateBar rate={check.rate ?? 0} severity={check.severity} />
      </td>
      <td>
        <button type="button" className="link" onClick={() => showRollouts({ codes: [check.code] })}>
          {count(check.affected)} of {counted(check.checked, UNIT_WORDS[check.unit])}
        </button>
        <span className="quiet check-places">
          {count(check.places.affected)} of {counted(check.places.checked, 'place')}
        </span>
      </td>
      <td>{check.pattern ?? '–'}</td>
      <td>
        <ByTurn counts={check.by_turn} severity={check.severity} />
      </td>
      <td>
        {first !== undefined && (
          <button type="button" className="button small" onClick={() => void example()}>
            Show one
          </button>
        )}
      </td>
    </tr>
  )
}

function RateBar({ rate, severity }: { rate: number; severity: Severity }) {
  return (
    <span className="rate">
      <span className="rate-bar" aria-hidden="true">
        <span className={`rate-fill ${severity}`} style={{ width: `${Math.max(rate * 100, rate > 0 ? 2 : 0)}%` }} />
      </span>
      <span className="number">{percent(rate)}</span>
    </span>
  )
}

/** Affected rollouts per assistant turn, as small bars with their numbers. */
function ByTurn({ counts, severity }: { counts: Readonly<Record<string, number>>; severity: Severity }) {
  const turns = Object.entries(counts).filter(([, affected]) => affected > 0 || Object.keys(counts).length > 1)
  if (turns.length === 0) return <>–</>
  const most = Math.max(...turns.map(([, affected]) => affected), 1)
  const words = turns
    .slice(0, MOST_TURNS)
    .map(([turn, affected]) => `turn ${turn}: ${count(affected)}`)
    .concat(turns.length > MOST_TURNS ? [`and ${counted(turns.length - MOST_TURNS, 'more turn')}`] : [])
    .join(', ')
  return (
    <span className="by-turn" role="img" aria-label={words} title={words}>
      {turns.slice(0, MOST_TURNS).map(([turn, affected]) => (
        <span key={turn} className="by-turn-bar">
          <span
            className={`by-turn-fill ${severity}`}
            style={{ height: `${affected === 0 ? 0 : Math.max(8, (affected / most) * 100)}%` }}
          />
          <span className="by-turn-label">{turn}</span>
        </span>
      ))}
      {turns.length > MOST_TURNS && <span className="by-turn-more">+{count(turns.length - MOST_TURNS)}</span>}
    </span>
  )
}

/** Checks that found nothing, or could not look. */
export function OtherChecks({ checks }: { checks: readonly CheckResult[] }) {
  const others = (['pass', 'not-checkable', 'not-applicable'] as const).map((status) => ({
    status,
    checks: checks.filter((check) => check.status === status),
  }))
  return (
    <section className="other-checks" aria-label="Other checks">
      {others.map(
        (group) =>
          group.checks.length > 0 && (
            <details key={group.status}>
              <summary>
                {counted(group.checks.length, 'check')} {STATUS_WORDS[group.status]}
              </summary>
              <ul className="check-list">
                {group.checks.map((check) => (
                  <li key={check.code}>
                    <span className="check-code">
                      <CheckName code={check.code} />
                    </span>{' '}
                    {check.title}
                    <span className="quiet">
                      {check.reason !== null
                        ? ` · ${check.reason}`
                        : check.checked > 0 &&
                          ` · ${counted(check.places.checked || check.checked, 'place')} looked at`}
                    </span>
                    {check.intended > 0 && (
                      <button type="button" className="link" onClick={() => showRollouts({ codes: [check.code] })}>
                        {count(check.intended)} intended by the policy
                      </button>
                    )}
                  </li>
                ))}
              </ul>
            </details>
          ),
      )}
    </section>
  )
}
