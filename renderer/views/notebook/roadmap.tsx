import { editHypothesis } from '../../../shared/notebook/edit.ts'
import { type Hypothesis, type Notebook, PHASES, type Phase, PRIORITIES } from '../../../shared/notebook/model.ts'
import { isOpen, nextStep } from '../../../shared/notebook/next-step.ts'
import { changeNotebook } from '../../data/notebook.ts'
import { useFiles } from '../../state/files.ts'
import { upright } from '../../text/visible.ts'
import { ProposedTest } from './next-step.tsx'
import { openHypothesis } from './notebook-place.ts'
import { PHASE_WORDS, PRIORITY_WORDS, STATUS_WORDS } from './notebook-words.ts'
import { PlainMarkdown } from './plain-markdown.tsx'
import { VerdictMark } from './verdict.tsx'

/** What is tested when, phase by phase. What is decided stands last in its phase. */
export function Roadmap({ notebook }: { notebook: Notebook }) {
  return (
    <div className="roadmap">
      <ProposedTest notebook={notebook} />
      {PHASES.map((phase) => {
        const inside = inOrder(
          notebook.hypotheses.filter((each) => each.phase === phase),
          notebook,
        )
        return (
          <section key={phase} aria-labelledby={`phase-${phase}`}>
            <h2 id={`phase-${phase}`}>
              {PHASE_WORDS[phase].title} <span className="quiet">{PHASE_WORDS[phase].what}</span>
            </h2>
            {inside.length === 0 ? (
              <p className="quiet">Nothing is planned for it.</p>
            ) : (
              <table className="roadmap-table">
                <thead>
                  <tr>
                    <th scope="col">Hypothesis</th>
                    <th scope="col">Status</th>
                    <th scope="col">Priority</th>
                    <th scope="col">Order and cost</th>
                    <th scope="col">Next action</th>
                    <th scope="col">Phase</th>
                  </tr>
                </thead>
                <tbody>
                  {inside.map((hypothesis) => (
                    <RoadmapRow key={hypothesis.id} hypothesis={hypothesis} notebook={notebook} />
                  ))}
                </tbody>
              </table>
            )}
          </section>
        )
      })}
    </div>
  )
}

interface RowProps {
  readonly hypothesis: Hypothesis
  readonly notebook: Notebook
}

function RoadmapRow({ hypothesis, notebook }: RowProps) {
  const { id, title, status, priority, testing, phase } = hypothesis
  return (
    <tr>
      <th scope="row">
        <button type="button" className="link" onClick={() => openHypothesis(id)}>
          {id} {upright(title)}
        </button>
      </th>
      <td>
        <span className={`status-mark ${status}`}>
          <span aria-hidden="true">{STATUS_WORDS[status].glyph}</span> {STATUS_WORDS[status].name}
        </span>
        <VerdictMark hypothesis={hypothesis} />
      </td>
      <td>{PRIORITY_WORDS[priority]}</td>
      <td>
        {testing === '' ? <span className="quiet">–</span> : <PlainMarkdown text={testing} />}
        {phase === 'later' && priority === 'critical' && !isDecided(hypothesis) && (
          <p className="warn-text phase-note">
            <span aria-hidden="true">▲</span> Critical, and not planned: it waits for what its order names. Move it to
            phase 1 where that is seen.
          </p>
        )}
      </td>
      <td>
        <NextAction hypothesis={hypothesis} notebook={notebook} />
      </td>
      <td>
        <select
          aria-label={`Phase of ${id}`}
          value={phase}
          onChange={(event) => setPhase(id, event.target.value as Phase)}
        >
          {PHASES.map((each) => (
            <option key={each} value={each}>
              {PHASE_WORDS[each].title}
            </option>
          ))}
        </select>
      </td>
    </tr>
  )
}

/** As it is written; where the open dump decides it, what was to come before such a dump is done. */
function NextAction({ hypothesis, notebook }: RowProps) {
  const report = useFiles((files) => files.report)
  const { nextAction } = hypothesis
  const isDecidedHere = isOpen(hypothesis) && nextStep(hypothesis, notebook, report).by === 'decided'
  if (isDecidedHere)
    return (
      <>
        <p>The open dump decides it: look at its measures, and set the status.</p>
        {nextAction !== '' && (
          <div className="quiet">
            As written before: <PlainMarkdown text={nextAction} />
          </div>
        )}
      </>
    )
  return nextAction === '' ? <span className="quiet">–</span> : <PlainMarkdown text={nextAction} />
}

function setPhase(id: string, phase: Phase): void {
  changeNotebook(`Phase of ${id}`, (notebook, at) => editHypothesis(notebook, id, { phase }, { at }))
}

function isDecided({ status }: Hypothesis): boolean {
  return status === 'validated' || status === 'invalidated'
}

/** What is open first, what waits for another after it, and then by priority: as the next test is proposed. */
function inOrder(hypotheses: readonly Hypothesis[], notebook: Notebook): Hypothesis[] {
  const waits = (hypothesis: Hypothesis) => Number(nextStep(hypothesis, notebook, null).after.length > 0)
  return hypotheses.toSorted(
    (a, b) =>
      Number(isDecided(a)) - Number(isDecided(b)) ||
      waits(a) - waits(b) ||
      PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority),
  )
}
