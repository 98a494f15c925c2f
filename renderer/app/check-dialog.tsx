import type { CheckPage, PageSection } from '../../shared/exports/check-page.ts'
import { byTurnText, extentText } from '../../shared/exports/phrases.ts'
import type { CheckResult, Report } from '../../shared/model/report.ts'
import { isThresholdId } from '../../shared/model/thresholds/registry.ts'
import { useCheckPage } from '../data/check-pages.ts'
import { useFiles } from '../state/files.ts'
import { useView } from '../state/view.ts'
import { inApp } from '../text/app-words.ts'
import { contextWords } from '../text/context-words.ts'
import { count, counted } from '../text/numbers.ts'
import { spelt } from '../text/visible.ts'
import { STATUS_WORDS } from '../text/words.ts'
import { Modal } from './modal.tsx'
import { ThresholdForm } from './threshold-form.tsx'

/** What docs/checks has of a check, and what it found in the dump that is open. */
export function CheckDialog() {
  const code = useView((state) => state.check)
  const page = useCheckPage(code)
  const report = useFiles((files) => files.report)
  const check = report?.checks.find((result) => result.code === code)
  return (
    <Modal title={page ? `${code} ${page.title}` : code}>
      {page === undefined && <p className="quiet">Looking it up…</p>}
      {page === null && <p>This version knows no check {code}.</p>}
      {report !== null && check !== undefined && <InThisDump check={check} report={report} />}
      {page && <Page page={page} />}
    </Modal>
  )
}

function InThisDump({ check, report }: { check: CheckResult; report: Report }) {
  const { status, reason, places, intended, left_out: leftOut = 0 } = check
  const turns = byTurnText(check)
  const causes = report.defects.filter(({ symptoms }) => symptoms.some(({ code }) => code === check.code))
  return (
    <section className="in-this-dump">
      <h3>In this dump</h3>
      <p>
        <strong>{STATUS_WORDS[status]}</strong>
        {status === 'fail' && `: ${extentText(check)}`}
        {status === 'pass' && places.checked > 0 && `, ${count(places.checked)} looked at`}
        {reason !== null && `: ${spelt(inApp(reason))}`}
      </p>
      {turns !== '' && <p>By assistant turn: {turns}</p>}
      {leftOut > 0 && (
        <p>{counted(leftOut, 'rollout')} not looked at: the mask does not fit the ids, of which S03 tells.</p>
      )}
      {intended > 0 && <p>{count(intended)} more are intended by the policy.</p>}
      {causes.map(({ id, title }) => (
        <p key={id}>
          Because of <strong>{id}</strong>: {title}
        </p>
      ))}
      {contextWords(check.context ?? {}).map(({ name, value }) => (
        <p key={name}>
          {spelt(name)}: {spelt(value)}
        </p>
      ))}
    </section>
  )
}

function Page({ page }: { page: CheckPage }) {
  return (
    <div className="check-page">
      <dl className="pairs">
        {page.facts.map(({ term, value }) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{inApp(value)}</dd>
          </div>
        ))}
      </dl>
      {page.sections.filter(isRead).map(({ heading, items }) => (
        <section key={heading}>
          <h3>{heading}</h3>
          {items.map(({ name, text }) => (
            <p key={name ?? text}>
              {name !== null && <code>{name}</code>} {inApp(text)}
            </p>
          ))}
        </section>
      ))}
      <section>
        <h3>Thresholds</h3>
        <ThresholdForm of={page.code} />
      </section>
    </div>
  )
}

/** Thresholds can be set here, and are not only read. */
function isRead({ items }: PageSection): boolean {
  return !items.some(({ name }) => name !== null && isThresholdId(name))
}
