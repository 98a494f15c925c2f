import type { Hypothesis, Notebook } from '../../../shared/notebook/model.ts'
import { isOpen, type NextStep, nextStep, nextSteps } from '../../../shared/notebook/next-step.ts'
import { CheckName } from '../../app/check-name.tsx'
import { PinButton } from '../../app/pin-button.tsx'
import { useFiles } from '../../state/files.ts'
import { count, counted } from '../../text/numbers.ts'
import { upright } from '../../text/visible.ts'
import { STATUS_WORDS, UNIT_WORDS, VERDICT_WORDS } from '../../text/words.ts'
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

/** The program has no verdict of it: what would decide it is for a person to write, and checks that it names are looked up. */
function OwnOne({ step: { hypothesis, method, named } }: { step: NextStep }) {
  const hasDump = useFiles((files) => files.report !== null)
  const lacks = [
    ...(method === null ? ['under Validation, what to run or to look at, and what has to be seen for it to hold'] : []),
    ...(hypothesis.invalidation === '' ? ['under Invalidation criteria, what would rule it out'] : []),
    ...(hypothesis.testing === '' ? ['under Testing order and cost, what it takes and what comes before it'] : []),
  ]
  return (
    <>
      <p>It is your own: no verdict of the program speaks of it, and no dump decides it by itself.</p>
      {lacks.length > 0 && (
        <>
          <p>What would decide it is not written yet. Write</p>
          <ul className="next-list">
            {lacks.map((lack) => (
              <li key={lack}>{lack}</li>
            ))}
          </ul>
        </>
      )}
      {named.length > 0 && (
        <>
          <p>What the open dump says of the checks that it names:</p>
          <ul className="next-list">
            {named.map(({ code, title, status, affected, checked, unit }) => (
              <li key={code}>
                <CheckName code={code} /> {title}: <strong>{STATUS_WORDS[status]}</strong>
                {status === 'fail' && `, ${count(affected)} of ${counted(checked, UNIT_WORDS[unit])}`}{' '}
                {(status === 'fail' || status === 'pass') && (
                  <PinButton of={{ kind: 'finding', key: { check: code } }} what={code} />
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {named.length === 0 && (
        <p className="quiet">
          {hasDump
            ? 'Name checks in its texts by their codes (T05, M01, … as in Verdicts), and what the open dump says of them stands here.'
            : 'Where a dump is open, what it says of the checks that the texts name by their codes (T05, M01, …) stands here.'}{' '}
          <kbd>i</kbd> or <em>pin</em> beside a number hangs it on this page.
        </p>
      )}
    </>
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
      {hypothesis.verdict === null && <OwnOne step={step} />}
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
