import { editExperiment, linkRun, removeExperiment, unlinkRun } from '../../../shared/notebook/edit.ts'
import { categoryTitle } from '../../../shared/notebook/markdown/experiments-page.ts'
import type { Experiment, ExperimentField, Notebook } from '../../../shared/notebook/model.ts'
import { parametersOf, parameterTitle } from '../../../shared/notebook/parameters.ts'
import { changeNotebook } from '../../data/notebook.ts'
import { useFiles } from '../../state/files.ts'
import { say } from '../../state/view.ts'
import { spelt, upright } from '../../text/visible.ts'
import { sayWhatIsMasked } from './additions.ts'
import { History } from './history.tsx'
import { NotePage } from './note-page.tsx'
import { openExperiment } from './notebook-place.ts'
import { fieldName, shortTime } from './notebook-words.ts'
import { LineField, TextField } from './text-field.tsx'
import { useAdding } from './use-adding.ts'

/** One experiment: its settings, its command line, what came of it, and the runs it wrote. */
export function ExperimentPage({ notebook, experiment }: { notebook: Notebook; experiment: Experiment }) {
  const { id } = experiment
  const set = (fields: Partial<Pick<Experiment, ExperimentField>>) =>
    changeNotebook(`${fieldName(Object.keys(fields)[0] ?? '')} of ${id}`, (before, at) =>
      editExperiment(before, id, fields, { at }),
    )
  return (
    <NotePage
      title={
        <>
          {id} {spelt(experiment.title)} <span className="quiet">{categoryTitle(experiment.category)}</span>
        </>
      }
      besideLabel="Settings, hypotheses and runs"
      beside={
        <>
          <Settings experiment={experiment} />
          <section className="note-box" aria-labelledby="tests">
            <h3 id="tests">Hypotheses it tests</h3>
            <ul className="checks">
              {notebook.hypotheses.map((hypothesis) => (
                <li key={hypothesis.id}>
                  <label>
                    <input
                      type="checkbox"
                      checked={experiment.tests.includes(hypothesis.id)}
                      onChange={(event) =>
                        set({
                          tests: event.target.checked
                            ? [...experiment.tests, hypothesis.id]
                            : experiment.tests.filter((each) => each !== hypothesis.id),
                        })
                      }
                    />{' '}
                    {hypothesis.id} {upright(hypothesis.title)}
                  </label>
                </li>
              ))}
            </ul>
          </section>
          <Runs experiment={experiment} />
        </>
      }
      onBack={() => openExperiment(null)}
      onRemove={() => remove(id)}
    >
      <LineField label="Title" isTitle value={experiment.title} onChange={(title) => set({ title })} />
      <TextField
        mono
        title="Command"
        hint="Paste the command line; its settings are read off it. Keys, tokens and passwords are not kept."
        value={experiment.command}
        onChange={(command) => {
          sayWhatIsMasked(command)
          set({ command })
        }}
      />
      <Written experiment={experiment} set={set} />
      <TextField
        title="Outcome"
        hint="What came of it."
        value={experiment.outcome}
        onChange={(outcome) => set({ outcome })}
      />
      <TextField title="Notes" hint="Anything else." value={experiment.notes} onChange={(notes) => set({ notes })} />
      <History notebook={notebook} of={{ kind: 'experiment', id }} />
    </NotePage>
  )
}

function Written({
  experiment,
  set,
}: {
  readonly experiment: Experiment
  readonly set: (fields: Partial<Pick<Experiment, ExperimentField>>) => void
}) {
  const { parameters } = experiment
  const { list, button, changes } = useAdding<HTMLUListElement>(parameters.length)
  const change = (at: number, fields: { name?: string; value?: string }) =>
    set({ parameters: parameters.map((each, place) => (place === at ? { ...each, ...fields } : each)) })
  return (
    <section className="note-field" aria-labelledby="written">
      <div className="note-field-head">
        <h3 id="written">Settings by hand</h3>
        <button
          ref={button}
          type="button"
          className="link note-edit"
          onClick={() => {
            changes()
            set({ parameters: [...parameters, { name: '', value: '' }] })
          }}
        >
          Add a setting
        </button>
      </div>
      {parameters.length === 0 && (
        <p className="quiet">What the command line does not say. It stands before what the command line says.</p>
      )}
      <ul ref={list} className="written-parameters">
        {parameters.map(({ name, value }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a setting has no identity beyond its place
          <li key={at}>
            <LineField
              hidden
              label={`Name of setting ${at + 1}`}
              placeholder="learning rate"
              value={name}
              onChange={(text) => change(at, { name: text })}
            />
            <LineField
              hidden
              className="grow"
              label={`Value of setting ${at + 1}`}
              placeholder="1e-5"
              value={value}
              onChange={(text) => change(at, { value: text })}
            />
            <button
              type="button"
              className="icon-button"
              aria-label={`Take out setting ${at + 1}`}
              onClick={() => {
                changes()
                set({ parameters: parameters.filter((_, place) => place !== at) })
              }}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Everything that is known of the settings, with where it comes from. */
function Settings({ experiment }: { experiment: Experiment }) {
  const known = [...parametersOf(experiment)]
  return (
    <section className="note-box" aria-labelledby="settings">
      <h3 id="settings">Settings</h3>
      {known.length === 0 ? (
        <p className="quiet">None are known yet.</p>
      ) : (
        <table className="plain-table settings-known">
          <tbody>
            {known.map(([id, { value, from }]) => (
              <tr key={id}>
                <th scope="row">{spelt(parameterTitle(id))}</th>
                <td>{upright(value)}</td>
                <td className="quiet">{from === 'command' ? 'command line' : 'by hand'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function Runs({ experiment }: { experiment: Experiment }) {
  const dump = useFiles(({ dumpHash }) => dumpHash)
  const sources = useFiles((files) => files.sources)
  const isLinked = experiment.runs.some((run) => run.dump === dump)
  const link = () => {
    if (dump === null) return
    const names = sources.map(({ name }) => name)
    changeNotebook(`Run of ${experiment.id}`, (notebook, at) =>
      linkRun(notebook, experiment.id, { dump, names, linkedAt: at }),
    )
  }
  return (
    <section className="note-box" aria-labelledby="runs">
      <h3 id="runs">Runs</h3>
      {experiment.runs.length === 0 && <p className="quiet">No run is linked.</p>}
      <ul>
        {experiment.runs.map((run) => (
          <li key={run.dump}>
            {spelt(run.names.join(', '))} <code title={run.dump}>{run.dump.slice(0, 12)}</code>
            <span className="quiet">
              {' '}
              {shortTime(run.linkedAt)}
              {run.dump === dump && ' · open now'}{' '}
            </span>
            <button
              type="button"
              className="link"
              aria-label={`Unlink ${spelt(run.names.join(', '))}`}
              onClick={() =>
                changeNotebook(`Run of ${experiment.id}`, (notebook, at) =>
                  unlinkRun(notebook, experiment.id, run.dump, { at }),
                )
              }
            >
              Unlink
            </button>
          </li>
        ))}
      </ul>
      {dump === null ? (
        <p className="quiet">Open its rollouts to link them.</p>
      ) : (
        !isLinked && (
          <button type="button" className="button small" onClick={link}>
            Link the open dump
          </button>
        )
      )}
    </section>
  )
}

function remove(id: string): void {
  changeNotebook(`${id} taken out`, (notebook, at) => removeExperiment(notebook, id, { at }))
  openExperiment(null)
  say(`${id} was taken out of the notebook. Undo brings it back.`)
}
