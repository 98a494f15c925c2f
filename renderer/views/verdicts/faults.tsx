import { defectPlacesText } from '../../../shared/exports/phrases.ts'
import type { Cause, DefectPart } from '../../../shared/hypotheses/causes.ts'
import type { Report } from '../../../shared/model/report.ts'
import { PinButton } from '../../app/pin-button.tsx'
import { showRollouts } from '../../commands/go.ts'
import { count, counted } from '../../text/numbers.ts'
import { UNIT_WORDS } from '../../text/words.ts'
import { ByTurn, CheckRow, CheckRows, Example, Pattern, RateBar, SeverityMark } from './check-rows.tsx'
import { FoldButton, useFold } from './unfold.tsx'

/** Where a cause stands in the list. */
export function causePlace(id: string): string {
  return `cause-${id}`
}

/** Everything that is wrong, the worst first: a line for each cause, under it what fails because of it. */
export function FaultList({ causes, report }: { causes: readonly Cause[]; report: Report }) {
  return (
    <section aria-labelledby="faults">
      <h2 id="faults">Faults</h2>
      {causes.length === 0 ? (
        <p className="quiet">{nothingWrong(report)}</p>
      ) : (
        <>
          <p className="quiet faults-lead">
            The worst first, each cause once.
            {causes.some(({ parts }) => parts.length > 0) && ' Open a line for what else fails because of it.'}{' '}
            <IdsExplained causes={causes} />
          </p>
          <CheckRows caption="Faults, the worst first">
            {causes.map((cause) =>
              cause.parts.length > 0 ? (
                <DefectRow key={cause.ids[0]} cause={cause} report={report} />
              ) : (
                <CheckRow key={cause.ids[0]} check={cause.lead} report={report} note={noteOf(cause)} isCause />
              ),
            )}
          </CheckRows>
        </>
      )}
    </section>
  )
}

function nothingWrong({ checks }: Report): string {
  return checks.some((check) => check.status === 'pass')
    ? 'No check that could run found a fault.'
    : 'No check could look at these rollouts; why stands below.'
}

/** What the ids are, for who meets them for the first time. */
function IdsExplained({ causes }: { causes: readonly Cause[] }) {
  const known = causes.some(({ ids }) => ids.some((id) => id.startsWith('V')))
  return (
    <>
      {known && (
        <>
          <b>V1</b> to <b>V14</b> are defects known from the old verifiers trainer; others have had them as well.{' '}
        </>
      )}
      {known ? 'Other ids' : 'Ids'} are those of checks: <b>M</b> loss mask, <b>T</b> tokens and template, <b>C</b> cut
      or lost text, <b>A</b> rewards and advantages, <b>L</b> logprobs, <b>S</b> layout of the batch. Each opens its
      page.
    </>
  )
}

function noteOf({ explainedBy, extent, lead }: Cause): string | null {
  if (explainedBy.length === 0) return null
  return `${count(extent.affected)} of these ${count(lead.affected)} not explained by ${explainedBy.join(', ')}`
}

/** The checks that fail because of a cause; nothing where it is a check itself and the only one. */
function FailBecause({ codes }: { codes: readonly string[] }) {
  if (codes.length === 0) return null
  return (
    <span className="quiet defect-codes">
      {counted(codes.length, 'check')} {codes.length === 1 ? 'fails' : 'fail'} because of it: {codes.join(', ')}
    </span>
  )
}

function DefectRow({ cause, report }: { cause: Cause; report: Report }) {
  const { ids, title, severity, lead, extent, parts, codes } = cause
  const fold = useFold(`defect ${ids.join(' ')}`)
  const isWhole = extent.affected === lead.affected
  return (
    <>
      <tr>
        <th scope="row">
          <SeverityMark severity={severity} />{' '}
          <FoldButton fold={fold} className="defect-toggle" id={causePlace(ids[0] as string)}>
            {ids.map((id) => (
              <span key={id} className={`defect-id ${severity}`}>
                {id}
              </span>
            ))}
            <span className="check-title">{title}</span>
          </FoldButton>
          <FailBecause codes={codes.filter((code) => !ids.includes(code))} />
        </th>
        <td>
          <RateBar rate={extent.checked === 0 ? 0 : extent.affected / extent.checked} severity={severity} />
        </td>
        <td>
          <button type="button" className="link" onClick={() => showRollouts({ codes: parts[0]?.defect.checks ?? [] })}>
            {count(extent.affected)} of {counted(extent.checked, UNIT_WORDS[lead.unit])}
          </button>
          {parts.map(({ defect }) => (
            <span key={defect.id} className="quiet check-places">
              {defectPlacesText(defect)}
              {parts.length > 1 && ` (${defect.id})`}
            </span>
          ))}
        </td>
        <td>
          <Pattern of={lead} />
        </td>
        <td>{isWhole ? <ByTurn counts={lead.by_turn} severity={severity} codes={[lead.code]} /> : '–'}</td>
        <td>
          <Example check={lead} report={report} defect={parts[0]?.defect.id} />{' '}
          <PinButton of={{ kind: 'finding', key: { check: lead.code } }} what={lead.code} />
        </td>
      </tr>
      {fold.isOpen && (
        <tr className="defect-opened">
          <td colSpan={6} id={fold.body}>
            {parts.map((part) => (
              <Part key={part.defect.id} part={part} isOneOfMany={parts.length > 1} report={report} />
            ))}
          </td>
        </tr>
      )}
    </>
  )
}

function Part(props: { part: DefectPart; isOneOfMany: boolean; report: Report }) {
  const { part, isOneOfMany, report } = props
  const { defect, symptoms } = part
  return (
    <section className="defect-part" aria-label={`${defect.id} ${defect.title}`}>
      {isOneOfMany && (
        <h3>
          {defect.id} {defect.title}
        </h3>
      )}
      <p>{defect.why}</p>
      <p>
        <strong>{defect.fix}</strong> <span className="quiet">Seen in {defect.cite}.</span>
      </p>
      <CheckRows caption={`What fails because of ${defect.id}`}>
        {symptoms.map(({ check, symptom }) => (
          <CheckRow
            key={check.code}
            check={check}
            report={report}
            defect={defect.id}
            note={
              symptom.affected < check.affected
                ? `${count(symptom.affected)} of these ${count(check.affected)} because of ${defect.id}`
                : null
            }
          />
        ))}
      </CheckRows>
    </section>
  )
}
