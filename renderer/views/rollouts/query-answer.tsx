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
      {(searching || !isAnswered || found.reading !== null) && (
        <Late key={query}>
          <Looking reading={isAnswered ? found.reading : null} isSearching={searching} />
        </Late>
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

/** How far looking has come, or where it was stopped. One button does both, and so keeps the focus of who stops by keyboard. */
function Looking({ reading, isSearching }: { reading: Found['reading']; isSearching: boolean }) {
  const shown = useObservable(list).length
  return (
    <p className={isSearching ? 'query-reading' : 'query-reading warn-text'} role="status">
      {isSearching ? <Reading reading={reading} shown={shown} /> : stoppedWords(reading, shown)}{' '}
      <button type="button" className="link" onClick={isSearching ? stopSearching : () => void refresh()}>
        {isSearching ? 'Stop' : 'Go on'}
      </button>
    </p>
  )
}

function Reading({ reading, shown }: { reading: Found['reading']; shown: number }) {
  if (reading === null) return 'looking into rollouts…'
  return (
    <>
      <progress max={reading.of || 1} value={reading.done} aria-label="Looking into rollouts" /> looked into{' '}
      {share(reading)}, {count(shown)} found
    </>
  )
}

/** `reading`: null where nothing was answered before it was stopped, so that the list is still that of the query before. */
function stoppedWords(reading: Found['reading'], shown: number): string {
  if (reading === null)
    return `Stopped before a rollout was looked into${shown > 0 ? '; the rows are still those of the query before' : ''}.`
  return `Stopped after ${share(reading)}: ${shown === 0 ? 'none of these fits' : 'there may be more'}.`
}

function share({ done, of }: NonNullable<Found['reading']>): string {
  return `${count(done)} of ${counted(of, 'rollout')}`
}
