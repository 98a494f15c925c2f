import type { RefObject } from 'react'
import type { Report } from '../../../shared/model/report.ts'
import { Late } from '../../app/late.tsx'
import { openExport } from '../../commands/open-export.ts'
import { isSearching, list, searched } from '../../data/list.ts'
import { useObservable } from '../../data/observable.ts'
import { useColumns } from '../../state/columns.ts'
import { useFiles } from '../../state/files.ts'
import { isFiltered, setQuery, useFilters } from '../../state/filters.ts'
import { useMarks } from '../../state/marks.ts'
import { asksForFlag, codesOf, toggledCode, toggledFlag } from '../../state/query-text.ts'
import { openDialog } from '../../state/view.ts'
import { count, counted } from '../../text/numbers.ts'
import { findingLook } from '../../text/words.ts'
import { columnsOf } from './columns.tsx'
import { noneFits } from './none-fits.ts'
import { QueryAnswer } from './query-answer.tsx'
import { QueryLine } from './query-line.tsx'

/** What the table shows, how that is chosen, and what can be done with it. */
export function FilterBar({ table }: { table: RefObject<HTMLTableElement | null> }) {
  return (
    <div className="filter-bar">
      <div className="filter-line">
        <QueryLine table={table} />
        <div className="filter-buttons">
          <button type="button" className="button" onClick={() => openDialog('views')}>
            Views…
          </button>
          <ColumnsButton />
          <Exports />
        </div>
      </div>
      <QueryAnswer />
      <Suggestions />
    </div>
  )
}

function ColumnsButton() {
  const leftOut = useColumns((state) => state.leftOut)
  const words = columnsOf(leftOut, []).map(({ title }) => title)
  return (
    <button
      type="button"
      className="button"
      title={leftOut.length === 0 ? undefined : `The window is too narrow for ${words.join(', ')}`}
      onClick={() => openDialog('columns')}
    >
      Columns… {leftOut.length > 0 && <span className="chip-count">{count(leftOut.length)} left out</span>}
    </button>
  )
}

/** Terms that are asked for most often, to be added and taken away by a click. */
function Suggestions() {
  const report = useFiles((files) => files.report)
  const query = useFilters((filters) => filters.query)
  const flagged = useMarks((state) => state.here.length)
  return (
    <fieldset className="chips" aria-label="Filters">
      <button
        type="button"
        className="chip"
        aria-pressed={asksForFlag(query)}
        onClick={() => setQuery(toggledFlag(query))}
      >
        ⚑ flagged <span className="chip-count">{count(flagged)}</span>
      </button>
      {report !== null && <FindingChips report={report} query={query} />}
    </fieldset>
  )
}

function FindingChips({ report, query }: { report: Report; query: string }) {
  const here = useObservable(searched)?.findings ?? {}
  // Findings of the whole dump are known at its end.
  const isCounted = useFiles((files) => files.phase === 'open')
  const chosen = codesOf(query)
  const failing = report.checks.filter(
    (check) => check.affected > 0 || check.intended > 0 || chosen.includes(check.code),
  )
  return (
    <>
      {failing.map((check) => {
        const isChosen = chosen.includes(check.code)
        // A query finds none of what the policy intends: that it is there is told, and nothing leads to an empty table.
        const isIntended = check.affected === 0 && check.intended > 0
        const { glyph, className } = findingLook({ severity: check.severity, intended: isIntended })
        return (
          <button
            key={check.code}
            type="button"
            className={`chip ${className}`}
            aria-pressed={isChosen}
            disabled={isIntended && !isChosen}
            title={isIntended ? `${check.title}: intended by the policy, so that no query finds it` : check.title}
            onClick={() => setQuery(toggledCode(query, check.code))}
          >
            <span aria-hidden="true">{glyph}</span> {check.code}{' '}
            <span className="chip-count">
              {isIntended
                ? `${count(check.intended)} intended`
                : count(isCounted ? (here[check.code] ?? 0) : check.affected)}
            </span>
          </button>
        )
      })}
    </>
  )
}

function Exports() {
  const shown = useObservable(list)
  const flagged = useMarks((state) => state.here)
  const filters = useFilters()
  return (
    <>
      <button type="button" className="button" disabled={flagged.length === 0} onClick={() => openExport('flagged')}>
        Export {counted(flagged.length, 'flagged', 'flagged')}…
      </button>
      <button type="button" className="button" disabled={shown.length === 0} onClick={() => openExport('shown')}>
        Export {isFiltered(filters) ? `these ${count(shown.length)}` : 'all'}…
      </button>
    </>
  )
}

/** Shown instead of an empty table. */
export function NothingMatches() {
  const filters = useFilters()
  const found = useObservable(searched)
  const searching = useObservable(isSearching)
  const isReading = useFiles((files) => files.phase === 'reading')
  const answer = found?.query === filters.query ? found : null
  return (
    <div className="nothing">
      {(found?.problems.length ?? 0) > 0 ? (
        <p>The query cannot be read; above is why.</p>
      ) : !isFiltered(filters) ? (
        <p>{isReading ? 'No rollout so far' : 'No rollout.'}</p>
      ) : searching && answer === null ? (
        // Most queries are answered before a word about them could be read.
        <Late>
          <p>Looking into rollouts; none was found so far.</p>
        </Late>
      ) : (
        <p>{noneFits(answer, searching, isReading)}</p>
      )}
      {isFiltered(filters) && (
        <button type="button" className="button" onClick={() => setQuery('')}>
          Show all rollouts
        </button>
      )}
    </div>
  )
}
