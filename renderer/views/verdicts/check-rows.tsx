import type { ReactNode } from 'react'
import { placesText } from '../../../shared/exports/phrases.ts'
import type { CheckResult, Finding, Report, Severity } from '../../../shared/model/report.ts'
import type { Place } from '../../../shared/model/source.ts'
import { subsetText } from '../../../shared/model/subset-text.ts'
import { CheckName } from '../../app/check-name.tsx'
import { PinButton } from '../../app/pin-button.tsx'
import { openRollout, showRollouts } from '../../commands/go.ts'
import { sentenceOf } from '../../engine/client.ts'
import { ask } from '../../engine/engine.ts'
import { addProblem } from '../../state/files.ts'
import { jumpToFinding } from '../../state/selection.ts'
import { useView } from '../../state/view.ts'
import { contextWords } from '../../text/context-words.ts'
import { count, counted, percent } from '../../text/numbers.ts'
import { PLACES_WORDS, SEVERITY_WORDS, UNIT_WORDS } from '../../text/words.ts'
import { ByStepLink } from './by-step.tsx'
import { turnBars } from './turn-bars.ts'

/** The table around rows of failing checks. */
export function CheckRows({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    <table className="check-table">
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">fault</th>
          <th scope="col">rate</th>
          <th scope="col">in</th>
          <th scope="col">pattern</th>
          <th scope="col" title="affected rollouts by assistant turn">
            by turn
          </th>
          <th scope="col">
            <span className="visually-hidden">example</span>
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}

/** A failing check: how much of what is affected, and one rollout that shows it, of those that `defect` explains where it is given. */
export function CheckRow(props: {
  check: CheckResult
  report: Report
  defect?: string
  note?: string | null
  /** It stands among the causes, and is found there by its code. */
  isCause?: boolean
}) {
  const { check, report, defect, note = null, isCause = false } = props
  return (
    <tr>
      <th scope="row">
        <span className={`severity ${check.severity}`}>
          <SeverityMark severity={check.severity} />{' '}
          <CheckName code={check.code} id={isCause ? `cause-${check.code}` : undefined} />
        </span>{' '}
        <span className="check-title">{check.title}</span> <ByStepLink of={check.code} />
        <CheckContext check={check} />
      </th>
      <td>
        <RateBar rate={check.rate ?? 0} severity={check.severity} />
      </td>
      <td>
        <button type="button" className="link" onClick={() => showRollouts({ codes: [check.code] })}>
          {count(check.affected)} of {counted(check.checked, UNIT_WORDS[check.unit])}
        </button>
        <span className="quiet check-places" title={PLACES_WORDS}>
          {placesText(check)}
        </span>
        {note !== null && <span className="check-note">{note}</span>}
      </td>
      <td>
        <Pattern of={check} />
      </td>
      <td>
        <ByTurn counts={check.by_turn} severity={check.severity} codes={[check.code]} />
      </td>
      <td>
        <Example check={check} report={report} defect={defect} />{' '}
        <PinButton of={{ kind: 'finding', key: { check: check.code } }} what={check.code} />
      </td>
    </tr>
  )
}

/** Systematic or sporadic; and where it is systematic in a part of the dump alone, in which. */
export function Pattern({ of: check }: { of: CheckResult }) {
  const subset = subsetText(check)
  return (
    <>
      {check.pattern ?? '–'}
      {subset !== '' && <span className="quiet check-places">{subset}</span>}
    </>
  )
}

export function SeverityMark({ severity }: { severity: Severity }) {
  const { glyph, name } = SEVERITY_WORDS[severity]
  return (
    <span className={`severity ${severity}`} title={name}>
      <span aria-hidden="true">{glyph}</span>
      <span className="visually-hidden">{name}</span>
    </span>
  )
}

/** Numbers over the whole dump that a check states beside its findings. */
export function CheckContext({ check }: { check: CheckResult }) {
  const lines = contextWords(check.context ?? {})
  if (lines.length === 0) return null
  return (
    <span className="check-context">
      {lines.map(({ name, value }) => (
        <span key={name}>
          {name}: {value}
        </span>
      ))}
    </span>
  )
}

/** Opens the first finding of a check, of those with the same cause if there is one. */
export function Example({ check, report, defect }: { check: CheckResult; report: Report; defect: string | undefined }) {
  const placed = report.findings.filter((finding) => finding.code === check.code && placeOf(finding) !== null)
  const first = placed.find((finding) => finding.defect === defect && finding.intended !== true) ?? placed[0]
  const place = first === undefined ? null : placeOf(first)
  if (first === undefined || place === null) return null
  const open = async () => {
    try {
      const { index } = await ask('locate', place)
      openRollout(index)
      useView.setState({ tab: 'tokens' })
      jumpToFinding(first)
    } catch (error) {
      addProblem(sentenceOf(error))
    }
  }
  return (
    <button type="button" className="button small" onClick={() => void open()}>
      Show one
    </button>
  )
}

/** The rollout of a finding, or the first of its group. */
function placeOf({ source, record, part, members }: Finding): Place | null {
  if (record !== null) return { source, record, part: part ?? 0 }
  const member = members?.[0]
  return member === undefined ? null : { source: member.source, record: member.record, part: member.part }
}

export function RateBar({ rate, severity }: { rate: number; severity: Severity }) {
  return (
    <span className="rate">
      <span className="rate-bar" aria-hidden="true">
        <span className={`rate-fill ${severity}`} style={{ width: `${Math.max(rate * 100, rate > 0 ? 2 : 0)}%` }} />
      </span>
      <span className="number">{percent(rate)}</span>
    </span>
  )
}

/** Affected rollouts per assistant turn, as small bars that open them. Of many turns several share a bar, which is as high as the worst of them. */
export function ByTurn(props: {
  counts: Readonly<Record<string, number>>
  severity: Severity
  codes: readonly string[]
}) {
  const { counts, severity, codes } = props
  const bars = turnBars(counts)
  if (bars.length === 0) return <>–</>
  const most = Math.max(...bars.map(({ affected }) => affected), 1)
  return (
    // biome-ignore lint/a11y/useSemanticElements: bars are no fields of a form
    <span className="by-turn" role="group" aria-label="affected rollouts by assistant turn">
      {bars.map(({ from, to, affected }) => {
        const turns = from === to ? `turn ${from}` : `turns ${from} to ${to}`
        const query = `assistant_turn:${from === to ? from : `${from}..${to}`}`
        const upTo = from === to || affected === 0 ? '' : 'up to '
        return (
          <button
            key={from}
            type="button"
            className="by-turn-bar"
            disabled={affected === 0}
            aria-label={`${turns}: ${upTo}${count(affected)}`}
            title={`${turns}: ${upTo}${counted(affected, 'rollout')}${upTo && ' a turn'}`}
            onClick={() => showRollouts({ query, codes })}
          >
            <span className="by-turn-scale">
              {affected > 0 && (
                <span className={`by-turn-fill ${severity}`} style={{ height: `${(affected / most) * 100}%` }} />
              )}
            </span>
            <span className="by-turn-label">{from}</span>
          </button>
        )
      })}
    </span>
  )
}
