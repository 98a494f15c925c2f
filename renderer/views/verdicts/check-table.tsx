import type { CheckResult, Report } from '../../../shared/model/report.ts'
import { CheckName } from '../../app/check-name.tsx'
import { showRollouts } from '../../commands/go.ts'
import { useFiles } from '../../state/files.ts'
import { openDialog } from '../../state/view.ts'
import { count, counted } from '../../text/numbers.ts'
import { STATUS_WORDS } from '../../text/words.ts'
import { CheckContext, CheckRow, CheckRows } from './check-rows.tsx'
import type { FaultLine } from './explained.ts'

/** Failing checks that stand for themselves; what a defect explains stands with the defect. */
export function FailedChecks({ lines, report }: { lines: readonly FaultLine[]; report: Report }) {
  return (
    <section aria-labelledby="failed-checks">
      <h2 id="failed-checks">{report.defects.length > 0 ? 'Other faults' : 'Faults'}</h2>
      {lines.length === 0 ? (
        <p className="quiet">{nothingLeft(report)}</p>
      ) : (
        <CheckRows caption="Failing checks">
          {lines.map(({ check, explainedBy, remaining }) => (
            <CheckRow
              key={check.code}
              check={check}
              report={report}
              note={
                explainedBy.length === 0
                  ? null
                  : `${count(remaining)} of these ${count(check.affected)} not explained by ${explainedBy.join(', ')}`
              }
            />
          ))}
        </CheckRows>
      )}
    </section>
  )
}

function nothingLeft({ checks, defects }: Report): string {
  if (defects.length > 0) return 'The defects above explain every check that failed.'
  return checks.some((check) => check.status === 'pass')
    ? 'No check that could run found a fault.'
    : 'No check could look at these rollouts; why stands below.'
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
                    {check.code === 'C11' && check.status === 'not-checkable' && <GiveDataset />}
                    <CheckContext check={check} />
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

/** The way to what C11 lacks, or, where it was given and did not help, to what was said of it. */
function GiveDataset() {
  const isGiven = useFiles((files) => files.dataset.length > 0)
  return (
    <>
      {' '}
      <button type="button" className="link" aria-haspopup="dialog" onClick={() => openDialog('dataset')}>
        {isGiven ? 'Dataset…' : 'Choose the dataset…'}
      </button>
    </>
  )
}
