import { categoryTitle } from '../../../shared/notebook/markdown/experiments-page.ts'
import { CATEGORIES, type Category, type Experiment, type Notebook } from '../../../shared/notebook/model.ts'
import { compareExperiments } from '../../../shared/notebook/parameters.ts'
import { KeptDetails } from '../../app/kept-details.tsx'
import { goTo } from '../../state/place.ts'
import { ABSENT, counted } from '../../text/numbers.ts'
import { spelt, upright } from '../../text/visible.ts'
import { newExperimentIn } from './additions.ts'
import { type ExperimentRow, experimentRows, shownParameters } from './experiment-rows.ts'
import { NEW_EXPERIMENT, openExperiment, setCompared, useNotebookPlace } from './notebook-place.ts'
import { CATEGORY_ABOUT } from './notebook-words.ts'

/** What was tried: a table that filters, sorts and puts two side by side. */
export function Experiments({ notebook }: { notebook: Notebook }) {
  const place = useNotebookPlace()
  const rows = experimentRows(notebook.experiments, place)
  const columns = shownParameters(rows)
  const compared = place.compared.filter((id) => notebook.experiments.some((each) => each.id === id)).slice(0, 2)
  const [a, b] = compared.map((id) => notebook.experiments.find((each) => each.id === id))
  return (
    <div className="experiments">
      <div className="experiment-filters">
        <label className="line-field">
          <span className="visually-hidden">Find experiments</span>
          <input
            type="search"
            placeholder="Find: qwen lora-r=16 flat"
            value={place.find}
            onChange={(event) => goTo('notebook', { find: event.target.value === '' ? null : event.target.value })}
          />
        </label>
        <fieldset className="segmented" aria-label="Category">
          <button
            type="button"
            aria-pressed={place.category === null}
            onClick={() => goTo('notebook', { category: null })}
          >
            All
          </button>
          {CATEGORIES.map((category) => (
            <button
              key={category}
              type="button"
              aria-pressed={place.category === category}
              aria-label={`${category}: ${categoryTitle(category)}`}
              title={`${categoryTitle(category)}: ${CATEGORY_ABOUT[category]}`}
              onClick={() => goTo('notebook', { category })}
            >
              {category}
            </button>
          ))}
        </fieldset>
        <span className="quiet">
          {place.category === null ? '' : `${categoryTitle(place.category)} · `}
          {rows.length === notebook.experiments.length
            ? counted(rows.length, 'experiment')
            : `${rows.length} of ${counted(notebook.experiments.length, 'experiment')}`}
        </span>
        {place.category === null ? (
          <button type="button" className="button small" onClick={() => openExperiment(NEW_EXPERIMENT)}>
            New experiment…
          </button>
        ) : (
          <NewIn category={place.category} />
        )}
      </div>
      <KeptDetails name="notebook letters" className="category-letters" summary="What the letters mean">
        <dl>
          {CATEGORIES.map((category) => (
            <div key={category}>
              <dt>
                {category} {categoryTitle(category)}
              </dt>
              <dd className="quiet">{CATEGORY_ABOUT[category]}</dd>
            </div>
          ))}
        </dl>
      </KeptDetails>
      {notebook.experiments.length === 0 ? (
        <p className="quiet">
          No experiment has been written down. Add one, paste its command line, and its settings are read off; or import
          a folder under “Files”.
        </p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the page is read by scrolling, also with keys
        <section className="experiment-scroll" tabIndex={0} aria-label="Experiments">
          <table className="experiment-table">
            <thead>
              <tr>
                <th scope="col">
                  <span className="visually-hidden">Put side by side</span>
                </th>
                <SortHeader column="id" title="Id" sort={place.sort} />
                <SortHeader column="title" title="Title" sort={place.sort} />
                {columns.map(({ id, title }) => (
                  <SortHeader key={id} column={id} title={title} sort={place.sort} />
                ))}
                <SortHeader column="outcome" title="Outcome" sort={place.sort} />
                <th scope="col">Tests</th>
                <th scope="col">Runs</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <Row key={row.experiment.id} row={row} columns={columns} compared={compared} />
              ))}
            </tbody>
          </table>
          {rows.length === 0 && <p className="quiet">No experiment holds all of these words.</p>}
        </section>
      )}
      {a !== undefined && b !== undefined ? (
        <Comparison a={a} b={b} />
      ) : (
        notebook.experiments.length > 1 && (
          <p className="quiet">{compared.length === 1 ? 'Choose one more' : 'Choose two'} to see what differs.</p>
        )
      )}
    </div>
  )
}

function NewIn({ category }: { category: Category }) {
  return (
    <button type="button" className="button small" onClick={() => newExperimentIn(category)}>
      New experiment in {category}: {categoryTitle(category)}
    </button>
  )
}

function SortHeader({ column, title, sort }: { column: string; title: string; sort: string }) {
  const isHere = sort.replace(/^-/, '') === column
  const down = sort.startsWith('-')
  return (
    <th scope="col" aria-sort={isHere ? (down ? 'descending' : 'ascending') : undefined}>
      <button
        type="button"
        className="sort-button"
        onClick={() => goTo('notebook', { sort: isHere && !down ? `-${column}` : column === 'id' ? null : column })}
      >
        {title}
        <span aria-hidden="true">{isHere ? (down ? ' ▼' : ' ▲') : ''}</span>
      </button>
    </th>
  )
}

function Row({
  row: { experiment, parameters },
  columns,
  compared,
}: {
  readonly row: ExperimentRow
  readonly columns: readonly { readonly id: string }[]
  readonly compared: readonly string[]
}) {
  const { id, title, outcome, tests, runs } = experiment
  const isCompared = compared.includes(id)
  const toggle = () => setCompared(isCompared ? compared.filter((each) => each !== id) : [...compared, id].slice(-2))
  return (
    <tr className={isCompared ? 'compared' : undefined}>
      <td>
        <input type="checkbox" aria-label={`Put ${id} side by side`} checked={isCompared} onChange={toggle} />
      </td>
      <th scope="row">{id}</th>
      <td className="experiment-title">
        <button type="button" className="link" onClick={() => openExperiment(id)}>
          {title === '' ? 'Without a title' : spelt(title)}
        </button>
      </td>
      {columns.map((column) => {
        const known = parameters.get(column.id)
        return (
          <td
            key={column.id}
            className={known?.from === 'command' ? 'from-command' : undefined}
            title={known?.from === 'command' ? 'From the command line' : undefined}
          >
            {known === undefined ? <span className="quiet">{ABSENT}</span> : spelt(known.value)}
          </td>
        )
      })}
      <td className="experiment-outcome">{upright(outcome)}</td>
      <td>{tests.join(', ')}</td>
      <td className="number">{runs.length === 0 ? '' : runs.length}</td>
    </tr>
  )
}

function Comparison({ a, b }: { a: Experiment; b: Experiment }) {
  const differences = compareExperiments(a, b)
  return (
    <section className="experiment-comparison" aria-label={`${a.id} beside ${b.id}`}>
      <h2>
        What differs between {a.id} and {b.id}
      </h2>
      {differences.length === 0 ? (
        <p className="quiet">Nothing that is written down.</p>
      ) : (
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">
                {a.id} {spelt(a.title)}
              </th>
              <th scope="col">
                {b.id} {spelt(b.title)}
              </th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ id, title, a: left, b: right }) => (
              <tr key={id}>
                <th scope="row">{spelt(title)}</th>
                <td>{left === null ? <span className="quiet">not said</span> : spelt(left)}</td>
                <td>{right === null ? <span className="quiet">not said</span> : spelt(right)}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">Outcome</th>
              <td>{upright(a.outcome) || <span className="quiet">not said</span>}</td>
              <td>{upright(b.outcome) || <span className="quiet">not said</span>}</td>
            </tr>
          </tbody>
        </table>
      )}
    </section>
  )
}
