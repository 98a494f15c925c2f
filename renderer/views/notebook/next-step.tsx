import type { Hypothesis, Notebook } from '../../../shared/notebook/model.ts'
import { isOpen, type NextStep, nextStep, nextSteps } from '../../../shared/notebook/next-step.ts'
import { useFiles } from '../../state/files.ts'
import { upright } from '../../text/visible.ts'
import { VERDICT_WORDS } from '../../text/words.ts'
import { MissingFor } from '../verdicts/verdict-terms.tsx'
import { openHypothesis } from './notebook-place.ts'
import { PlainMarkdown } from './plain-markdown.tsx'

/** The test that comes next over the whole notebook. */
export function ProposedTest({ notebook }: { notebook: Notebook }) {
  const report = useFiles((files) => files.report)
  const [first] = nextSteps(notebook, report)
  if (first === undefined) return null
  const { id, title } = first.hypothesis
  return (
    <section className="note-box" aria-labelledby="next-test">
      <h2 id="next-test">
        What next:{' '}
        <button type="button" className="link" onClick={() => openHypothesis(id)}>
          {id} {upright(title)}
        </button>
      </h2>
      <Step step={first} />
      <p className="quiet">
        Proposed {report === null ? 'from the notebook alone' : 'from the open dump and the notebook'}: what a dump
        decides already comes first, then the phases in their order. Nothing of it is written into the notebook.
      </p>
    </section>
  )
}

/** What can be done next about one hypothesis; nothing where it is decided. */
export function NextOf({ notebook, hypothesis }: { notebook: Notebook; hypothesis: Hypothesis }) {
  const report = useFiles((files) => files.report)
  if (!isOpen(hypothesis)) return null
  return (
    <section className="note-box" aria-labelledby="what-next">
      <h3 id="what-next">What next</h3>
      <Step step={nextStep(hypothesis, notebook, report)} />
      <p className="quiet">
        Computed from {report === null ? 'what is written here' : 'the open dump and what is written here'}.
      </p>
    </section>
  )
}

function Step({ step }: { step: NextStep }) {
  const { by, result, method, hypothesis, after } = step
  return (
    <>
      {by === 'decided' && result !== null && (
        <p>
          The open dump decides it now: <strong>{VERDICT_WORDS[result.verdict].name}</strong>, {result.confidence}{' '}
          confidence. Look at its measures, pin what convinces you (<kbd>i</kbd>), and set the status yourself.
        </p>
      )}
      {by === 'undecided' && result !== null && (
        <>
          <p>The open dump has what is needed and does not decide it. Another verdict would take:</p>
          <ul>
            {result.would_change.map((way) => (
              <li key={way}>{way}</li>
            ))}
          </ul>
        </>
      )}
      {by === 'dump-more' && result !== null && (
        <>
          <p>The open dump cannot decide it. It lacks:</p>
          <MissingFor result={result} />
        </>
      )}
      {by === 'run' && hypothesis.verdict !== null && <p>Open a dump of the run to see what it decides already.</p>}
      {by !== 'decided' && after.length > 0 && (
        <p>To be tested after {after.join(', ')}, still open: that is what its order says.</p>
      )}
      {by !== 'decided' && method !== null && (
        <>
          <p>
            <strong>First test: {upright(method.title)}</strong>
          </p>
          <PlainMarkdown text={method.how} />
          {method.success !== '' && <p className="quiet">It holds if: {upright(method.success)}</p>}
        </>
      )}
      {by !== 'decided' && hypothesis.testing !== '' && (
        <p className="quiet">Order and cost, as written in the notebook: {upright(hypothesis.testing)}</p>
      )}
    </>
  )
}
