import type { CheckResult } from '../../../shared/model/report.ts'
import { CheckName } from '../../app/check-name.tsx'
import { KeptDetails } from '../../app/kept-details.tsx'
import { showRollouts } from '../../commands/go.ts'
import { useFiles } from '../../state/files.ts'
import { openDialog } from '../../state/view.ts'
import { inApp } from '../../text/app-words.ts'
import { count, counted } from '../../text/numbers.ts'
import { STATUS_WORDS } from '../../text/words.ts'
import { CheckContext } from './check-rows.tsx'

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
            <KeptDetails
              key={group.status}
              name={`checks ${group.status}`}
              summary={`${counted(group.checks.length, 'check')} ${STATUS_WORDS[group.status]}`}
            >
              <ul className="check-list">
                {group.checks.map((check) => (
                  <li key={check.code}>
                    <span className="check-code">
                      <CheckName code={check.code} />
                    </span>
                    {check.title}
                    <span className="quiet">
                      {check.reason === null ? whatWasLookedAt(check) : ` · ${inApp(check.reason)}`}
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
            </KeptDetails>
          ),
      )}
    </section>
  )
}

/** A title names the fault: of a check that passed it has to be said that nothing of it is there. */
function whatWasLookedAt({ status, intended, places, checked }: CheckResult): string {
  const looked = places.checked || checked
  if (looked === 0) return ''
  return status === 'pass' && intended === 0
    ? ` · not found, in ${counted(looked, 'place')}`
    : ` · ${counted(looked, 'place')} looked at`
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
