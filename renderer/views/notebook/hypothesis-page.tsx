import { editHypothesis, removeHypothesis } from '../../../shared/notebook/edit.ts'
import type { HandOut } from '../../../shared/notebook/hand-out/hand-out.ts'
import {
  CONFIDENCES,
  type Confidence,
  type Hypothesis,
  type HypothesisField,
  type Notebook,
  PHASES,
  PRIORITIES,
} from '../../../shared/notebook/model.ts'
import { copyHandOut, saveHandOut } from '../../data/hand-out.ts'
import { changeNotebook } from '../../data/notebook.ts'
import { say } from '../../state/view.ts'
import { upright } from '../../text/visible.ts'
import { EvidenceList } from './evidence-list.tsx'
import { History } from './history.tsx'
import { Methods } from './methods.tsx'
import { NextOf } from './next-step.tsx'
import { NotePage } from './note-page.tsx'
import { openHypothesis } from './notebook-place.ts'
import { CONFIDENCE_WORDS, fieldName, PHASE_WORDS, PRIORITY_WORDS, TEXT_FIELDS } from './notebook-words.ts'
import { StatusForm } from './status-form.tsx'
import { ChoiceField, LineField, TextField } from './text-field.tsx'
import { VerdictPanel } from './verdict.tsx'

/** Everything about one hypothesis, each part edited where it stands. */
export function HypothesisPage({ notebook, hypothesis }: { notebook: Notebook; hypothesis: Hypothesis }) {
  const { id } = hypothesis
  const set = (fields: Partial<Pick<Hypothesis, HypothesisField>>) =>
    changeNotebook(`${fieldName(Object.keys(fields)[0] ?? '')} of ${id}`, (before, at) =>
      editHypothesis(before, id, fields, { at }),
    )
  return (
    <NotePage
      title={
        <>
          {id} {upright(hypothesis.title)}
        </>
      }
      actions={
        <>
          <button type="button" className="button small" onClick={() => void copyHandOut(handOutOf(hypothesis))}>
            Copy as Markdown
          </button>
          <button type="button" className="button small" onClick={() => void saveHandOut(handOutOf(hypothesis), 'md')}>
            Save as Markdown
          </button>
          <button
            type="button"
            className="button small"
            onClick={() => void saveHandOut(handOutOf(hypothesis), 'html')}
          >
            Save as HTML
          </button>
        </>
      }
      besideLabel="Status and evidence"
      beside={
        <>
          <section className="note-box" aria-labelledby="you-say">
            <h3 id="you-say">What you say</h3>
            <StatusForm hypothesis={hypothesis} />
            <LineField
              label="Words beside the status"
              value={hypothesis.statusNote}
              onChange={(statusNote) => set({ statusNote })}
            />
            <div className="note-choices">
              <ChoiceField
                label="Confidence"
                value={hypothesis.confidence ?? ''}
                choices={[['', 'Not said'], ...CONFIDENCES.map((each) => [each, CONFIDENCE_WORDS[each]] as const)]}
                onChange={(value) => set({ confidence: value === '' ? null : (value as Confidence) })}
              />
              <ChoiceField
                label="Priority"
                value={hypothesis.priority}
                choices={PRIORITIES.map((each) => [each, PRIORITY_WORDS[each]] as const)}
                onChange={(priority) => set({ priority })}
              />
              <ChoiceField
                label="Phase"
                value={hypothesis.phase}
                choices={PHASES.map((each) => [each, PHASE_WORDS[each].title] as const)}
                onChange={(phase) => set({ phase })}
              />
            </div>
          </section>
          <section className="note-box" aria-labelledby="dump-says">
            <h3 id="dump-says">What the open dump says</h3>
            <VerdictPanel hypothesis={hypothesis} />
          </section>
          <section className="note-box" aria-labelledby="evidence">
            <h3 id="evidence">Evidence</h3>
            <EvidenceList hypothesis={hypothesis} />
          </section>
          <NextOf notebook={notebook} hypothesis={hypothesis} />
          <Tests notebook={notebook} id={id} />
        </>
      }
      onBack={() => openHypothesis(null)}
      onRemove={() => remove(id)}
    >
      <LineField label="Title" className="wide" isTitle value={hypothesis.title} onChange={(title) => set({ title })} />
      {TEXT_FIELDS.map(([field, title, hint]) =>
        field === 'validation' ? (
          <Methods key={field} hypothesis={hypothesis} onChange={(validation) => set({ validation })} />
        ) : (
          <div key={field}>
            <TextField
              title={title}
              hint={hint}
              value={hypothesis[field]}
              onChange={(text) => set({ [field]: text })}
            />
            {field === 'rootCause' && (
              <LineField
                label="Code location"
                className="wide"
                placeholder="grpo_trainer.py:1173"
                value={hypothesis.codeLocation}
                onChange={(codeLocation) => set({ codeLocation })}
              />
            )}
          </div>
        ),
      )}
      <History notebook={notebook} of={{ kind: 'hypothesis', id }} />
    </NotePage>
  )
}

/** The texts of the page under its own titles. */
function handOutOf(hypothesis: Hypothesis): HandOut {
  const sections = TEXT_FIELDS.flatMap(([field, title]) =>
    field === 'validation' ? [] : [{ title, text: hypothesis[field] }],
  )
  return { hypothesis, sections }
}

function Tests({ notebook, id }: { notebook: Notebook; id: string }) {
  const testing = notebook.experiments.filter(({ tests }) => tests.includes(id))
  if (testing.length === 0) return null
  return (
    <section className="note-box" aria-labelledby="experiments-of">
      <h3 id="experiments-of">Experiments</h3>
      <ul>
        {testing.map((experiment) => (
          <li key={experiment.id}>
            {experiment.id} {upright(experiment.title)}
          </li>
        ))}
      </ul>
    </section>
  )
}

function remove(id: string): void {
  changeNotebook(`${id} taken out`, (notebook, at) => removeHypothesis(notebook, id, { at }))
  openHypothesis(null)
  say(`${id} was taken out of the notebook. Undo brings it back.`)
}
