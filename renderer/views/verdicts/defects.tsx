import type { Report } from '../../../shared/model/report.ts'
import { showRollouts } from '../../commands/go.ts'
import { count, counted } from '../../text/numbers.ts'
import { CheckRow, CheckRows } from './check-rows.tsx'
import type { DefectLine, DefectPart } from './explained.ts'
import { FoldButton, useFold } from './unfold.tsx'

/** Single causes, a line each; under it what is wrong, what to do, and every check that fails because of it. */
export function DefectList({ lines, report }: { lines: readonly DefectLine[]; report: Report }) {
  if (lines.length === 0) return null
  return (
    <section aria-labelledby="defects">
      <h2 id="defects">Defects</h2>
      <ul className="defects">
        {lines.map((line) => (
          <DefectEntry key={line.parts[0]?.defect.id} line={line} report={report} />
        ))}
      </ul>
    </section>
  )
}

function DefectEntry({ line, report }: { line: DefectLine; report: Report }) {
  const fold = useFold()
  const { parts, title, severity } = line
  const codes = [...new Set(parts.flatMap(({ symptoms }) => symptoms.map(({ check }) => check.code)))]
  return (
    <li className={`defect ${severity}`}>
      <div className="defect-line">
        <FoldButton fold={fold} className="defect-toggle">
          {parts.map(({ defect }) => (
            <span key={defect.id} className="defect-id">
              {defect.id}
            </span>
          ))}
          <span className="defect-title">{title}</span>
        </FoldButton>
        {parts.map((part) => (
          <PlacesLink key={part.defect.id} part={part} />
        ))}
        <span className="quiet">
          {counted(codes.length, 'symptom')}: {codes.join(', ')}
        </span>
      </div>
      <div id={fold.body} className="defect-body" hidden={!fold.isOpen}>
        {fold.isOpen && parts.map((part) => <Part key={part.defect.id} part={part} line={line} report={report} />)}
      </div>
    </li>
  )
}

function PlacesLink({ part: { defect } }: { part: DefectPart }) {
  const { affected, checked } = defect.places
  return (
    <button
      type="button"
      className="link"
      title={`Show the rollouts with ${defect.checks.join(', ')}`}
      onClick={() => showRollouts({ codes: defect.checks })}
    >
      {count(affected)} of {counted(checked, 'place')}
    </button>
  )
}

function Part({ part: { defect, symptoms }, line, report }: { part: DefectPart; line: DefectLine; report: Report }) {
  return (
    <section aria-label={`${defect.id} ${defect.title}`}>
      {line.parts.length > 1 && (
        <h3>
          {defect.id} {defect.title}
        </h3>
      )}
      <p>{defect.why}</p>
      <p>
        {defect.fix} <span className="quiet">Seen in {defect.cite}.</span>
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
