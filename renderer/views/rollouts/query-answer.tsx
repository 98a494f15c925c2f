import { Late } from '../../app/late.tsx'
import { isSearching, list, refresh, searched, stopSearching } from '../../data/list.ts'
import { useObservable } from '../../data/observable.ts'
import { setQuery, useFilters } from '../../state/filters.ts'
import { withoutTerm } from '../../state/query-text.ts'
import { count, counted } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'

/** What is asked for in plain words, term by term with its count, and how far looking into rollouts has come. */
export function QueryAnswer() {
  const query = useFilters((filters) => filters.query)
  const found = useObservable(searched)
  const searching = useObservable(isSearching)
  const isAnswered = found !== null && found.query === query
  if (query === '' || (found !== null && found.problems.length > 0)) return null
  return (
    <div className="query-answer">
      {isAnswered && <Terms found={found} />}
      {searching ? (
        <Late>
          <Reading reading={isAnswered ? found.reading : null} />
        </Late>
      ) : (
        (!isAnswered || found.reading !== null) && <Stopped reading={isAnswered ? found.reading : null} />
      )}
    </div>
  )
}

type Found = NonNullable<ReturnType<(typeof searched)['get']>>

function Terms({ found }: { found: Found }) {
  const { query, clauses, sentence, notes, total } = found
  return (
    <>
      {clauses.length > 0 && (
        <ul className="chips" aria-label="Terms of the query">
          {clauses.map((clause) => (
            <li key={`${clause.from} ${clause.to}`}>
              <button
                type="button"
                className="chip term"
                title={`${spelt(clause.says)}. Take this term away`}
                onClick={() => setQuery(withoutTerm(query, clause.from, clause.to))}
              >
                <code>{query.slice(clause.from, clause.to)}</code>{' '}
                {clause.count !== null && (
                  <span className="chip-count">
                    {count(clause.count)}
                    {clause.of < total && ` of ${count(clause.of)}`}
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
    </>
  )
}

function Reading({ reading }: { reading: Found['reading'] }) {
  const shown = useObservable(list).length
  return (
    <p className="query-reading" role="status">
      {reading === null ? (
        'looking into rollouts…'
      ) : (
        <>
          <progress max={reading.of || 1} value={reading.done} aria-label="Looking into rollouts" /> looked into{' '}
          {share(reading)}, {count(shown)} found
        </>
      )}{' '}
      <button type="button" className="link" onClick={stopSearching}>
        Stop
      </button>
    </p>
  )
}

/** `reading`: null where nothing was answered before it was stopped, so that the list is still that of the query before. */
function Stopped({ reading }: { reading: Found['reading'] }) {
  const shown = useObservable(list).length
  return (
    <p className="query-reading warn-text" role="status">
      {reading === null
        ? `Stopped before a rollout was looked into${shown > 0 ? '; the rows are still those of the query before' : ''}.`
        : shown === 0
          ? `Stopped after ${share(reading)}: none of these fits.`
          : `Stopped after ${share(reading)}: there may be more.`}{' '}
      <button type="button" className="link" onClick={() => void refresh()}>
        Go on
      </button>
    </p>
  )
}

function share({ done, of }: NonNullable<Found['reading']>): string {
  return `${count(done)} of ${counted(of, 'rollout')}`
}
