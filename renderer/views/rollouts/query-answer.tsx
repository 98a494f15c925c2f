import { isSearching, list, searched, stopSearching } from '../../data/list.ts'
import { useObservable } from '../../data/observable.ts'
import { setQuery, useFilters } from '../../state/filters.ts'
import { withoutTerm } from '../../state/query-text.ts'
import { count, counted } from '../../text/numbers.ts'
import { Late } from './late.tsx'

/** What is asked for in plain words, term by term with its count, and how far looking into rollouts has come. */
export function QueryAnswer() {
  const query = useFilters((filters) => filters.query)
  const found = useObservable(searched)
  const searching = useObservable(isSearching)
  const shown = useObservable(list).length
  if (query === '' || found === null || found.problems.length > 0) return null
  const { clauses, sentence, reading, notes } = found
  return (
    <div className="query-answer">
      {clauses.length > 0 && (
        <ul className="chips" aria-label="Terms of the query">
          {clauses.map((clause) => (
            <li key={`${clause.from} ${clause.to}`}>
              <button
                type="button"
                className="chip term"
                title={`${clause.says}. Take this term away`}
                onClick={() => setQuery(withoutTerm(query, clause.from, clause.to))}
              >
                <code>{query.slice(clause.from, clause.to)}</code>{' '}
                {clause.count !== null && (
                  <span className="chip-count">
                    {count(clause.count)}
                    {clause.of < found.total && ` of ${count(clause.of)}`}
                  </span>
                )}{' '}
                <span aria-hidden="true">✕</span>
                <span className="visually-hidden">take away</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <p className="query-sentence">{sentence}</p>
      {notes.map((note) => (
        <p key={note} className="quiet">
          {note}
        </p>
      ))}
      {searching && (
        <Late>
          <p className="query-reading" role="status">
            {reading === null ? (
              'looking…'
            ) : (
              <>
                <progress max={reading.of || 1} value={reading.done} aria-label="Looking into rollouts" /> looked into{' '}
                {count(reading.done)} of {counted(reading.of, 'rollout')}, {count(shown)} found
              </>
            )}{' '}
            <button type="button" className="link" onClick={stopSearching}>
              Stop
            </button>
          </p>
        </Late>
      )}
      {!searching && reading !== null && (
        <p className="warn-text">
          Stopped after {count(reading.done)} of {counted(reading.of, 'rollout')}: there may be more.
        </p>
      )}
    </div>
  )
}
