import type { Report } from '../../../shared/model/report.ts'
import { exportRollouts } from '../../data/exporting.ts'
import { list } from '../../data/list.ts'
import { useObservable } from '../../data/observable.ts'
import { useFiles } from '../../state/files.ts'
import { describeFilters, isFiltered, NO_FILTERS, toggleCode, useFilters } from '../../state/filters.ts'
import { useMarks } from '../../state/marks.ts'
import { filterWords } from '../../text/filter-words.ts'
import { count, counted } from '../../text/numbers.ts'
import { SEVERITY_WORDS } from '../../text/words.ts'

/** Filters as chips with their counts, and what can be done with what they leave. */
export function FilterBar() {
  const report = useFiles((files) => files.report)
  const filters = useFilters()
  const flagged = useMarks((state) => state.here.length)
  return (
    <div className="filter-bar">
      <fieldset className="chips" aria-label="Filters">
        {filters.where !== null && (
          <button
            type="button"
            className="chip"
            aria-pressed="true"
            title="Take this filter away"
            onClick={() => useFilters.setState({ where: null })}
          >
            {filterWords(filters.where, report?.limits ?? null)} <span aria-hidden="true">✕</span>
          </button>
        )}
        <button
          type="button"
          className="chip"
          aria-pressed={filters.flaggedOnly}
          onClick={() => useFilters.setState({ flaggedOnly: !filters.flaggedOnly })}
        >
          ⚑ flagged <span className="chip-count">{count(flagged)}</span>
        </button>
        {report !== null && <FindingChips report={report} chosen={filters.codes} />}
        {isFiltered(filters) && (
          <button
            type="button"
            className="link"
            onClick={() => useFilters.setState({ codes: [], where: null, flaggedOnly: false })}
          >
            Clear
          </button>
        )}
      </fieldset>
      <Exports />
    </div>
  )
}

function FindingChips({ report, chosen }: { report: Report; chosen: readonly string[] }) {
  const failing = report.checks.filter(
    (check) => check.affected > 0 || check.intended > 0 || chosen.includes(check.code),
  )
  return (
    <>
      {failing.map((check) => (
        <button
          key={check.code}
          type="button"
          className={`chip ${check.severity}`}
          aria-pressed={chosen.includes(check.code)}
          title={check.title}
          onClick={() => toggleCode(check.code)}
        >
          <span aria-hidden="true">{SEVERITY_WORDS[check.severity].glyph}</span> {check.code}{' '}
          <span className="chip-count">{count(check.affected)}</span>
        </button>
      ))}
    </>
  )
}

function Exports() {
  const shown = useObservable(list)
  const flagged = useMarks((state) => state.here)
  const filters = useFilters()
  const limits = useFiles((files) => files.report?.limits ?? null)
  return (
    <div className="exports">
      <button
        type="button"
        className="button"
        disabled={flagged.length === 0}
        onClick={() => void exportRollouts({ as: 'source', indices: flagged, why: 'flagged' })}
      >
        Export {counted(flagged.length, 'flagged', 'flagged')}
      </button>
      <button
        type="button"
        className="button"
        disabled={shown.length === 0}
        onClick={() =>
          void exportRollouts({ as: 'source', indices: [...shown], why: describeFilters(filters, limits) })
        }
      >
        Export {isFiltered(filters) ? `these ${count(shown.length)}` : 'all'}
      </button>
    </div>
  )
}

/** Shown instead of an empty table. */
export function NothingMatches() {
  const filters = useFilters()
  const isReading = useFiles((files) => files.phase === 'reading')
  const limits = useFiles((files) => files.report?.limits ?? null)
  return (
    <div className="nothing">
      <p>
        {isReading
          ? 'No rollout so far'
          : isFiltered(filters)
            ? `There are no ${describeFilters(filters, limits)}.`
            : 'No rollout.'}
      </p>
      {isFiltered(filters) && (
        <button type="button" className="button" onClick={() => useFilters.setState(NO_FILTERS)}>
          Clear the filters
        </button>
      )}
    </div>
  )
}
