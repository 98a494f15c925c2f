import { editProblem } from '../../../shared/notebook/edit.ts'
import type { Notebook, Problem } from '../../../shared/notebook/model.ts'
import { changeNotebook } from '../../data/notebook.ts'
import { counted } from '../../text/numbers.ts'
import { History } from './history.tsx'
import { fieldName } from './notebook-words.ts'
import { LineField, TextField } from './text-field.tsx'
import { useAdding } from './use-adding.ts'

const TEXTS = [
  ['statement', 'What does not work, since when, and how it shows.'],
  ['environment', 'Model, trainer, environment, data, machines.'],
  ['works', 'What is known to be all right, so that nobody looks there again.'],
  ['baseline', 'What the model scores without training.'],
] as const

/** What is to be solved, and when it is. */
export function ProblemPage({ notebook }: { notebook: Notebook }) {
  const { problem } = notebook
  const set = (fields: Partial<Problem>) =>
    changeNotebook(`${fieldName(Object.keys(fields)[0] ?? '')} of the problem`, (before, at) =>
      editProblem(before, fields, { at }),
    )
  const { list, button, changes } = useAdding<HTMLUListElement>(problem.criteria.length)
  const met = problem.criteria.filter((criterion) => criterion.met).length
  return (
    <div className="note-page">
      <h2 className="visually-hidden">Problem</h2>
      <div className="note-columns">
        <div className="note-main">
          {TEXTS.map(([field, hint]) => (
            <TextField
              key={field}
              title={fieldName(field)}
              hint={hint}
              value={problem[field]}
              onChange={(text) => set({ [field]: text })}
            />
          ))}
          <History notebook={notebook} of={{ kind: 'problem', id: '' }} />
        </div>
        <aside className="note-side" aria-label="Success criteria">
          <section className="note-box" aria-labelledby="criteria">
            <h3 id="criteria">Success criteria</h3>
            <p className="quiet">
              {met} of {counted(problem.criteria.length, 'criterion', 'criteria')} met
            </p>
            <ul ref={list} className="criteria">
              {problem.criteria.map((criterion, at) => (
                <li key={criterion.id}>
                  <input
                    type="checkbox"
                    aria-label={`Met: ${criterion.text}`}
                    checked={criterion.met}
                    onChange={(event) =>
                      set({ criteria: replaced(problem, criterion.id, { met: event.target.checked }) })
                    }
                  />
                  <LineField
                    hidden
                    className="grow"
                    wraps
                    label={`Criterion ${at + 1}`}
                    value={criterion.text}
                    onChange={(text) => set({ criteria: replaced(problem, criterion.id, { text }) })}
                  />
                  <button
                    type="button"
                    className="icon-button"
                    aria-label={`Take out criterion ${at + 1}`}
                    onClick={() => {
                      changes()
                      set({ criteria: problem.criteria.filter(({ id }) => id !== criterion.id) })
                    }}
                  >
                    ✕
                  </button>
                </li>
              ))}
            </ul>
            <button
              ref={button}
              type="button"
              className="button small"
              onClick={() => {
                changes()
                set({ criteria: [...problem.criteria, { id: freeId(problem), text: '', met: false }] })
              }}
            >
              Add a criterion
            </button>
          </section>
        </aside>
      </div>
    </div>
  )
}

function replaced({ criteria }: Problem, id: string, fields: { text?: string; met?: boolean }): Problem['criteria'] {
  return criteria.map((criterion) => (criterion.id === id ? { ...criterion, ...fields } : criterion))
}

function freeId({ criteria }: Problem): string {
  const numbers = criteria.map(({ id }) => Number(/^c(\d+)$/.exec(id)?.[1] ?? 0))
  return `c${Math.max(0, ...numbers) + 1}`
}
