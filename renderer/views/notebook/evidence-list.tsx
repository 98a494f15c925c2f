import { unpinEvidence } from '../../../shared/notebook/edit.ts'
import type { Evidence, Hypothesis } from '../../../shared/notebook/model.ts'
import { changeNotebook } from '../../data/notebook.ts'
import { useFiles } from '../../state/files.ts'
import { spelt, upright } from '../../text/visible.ts'
import { EvidenceNumbers } from './evidence-numbers.tsx'
import { shortTime } from './notebook-words.ts'
import { Rechecked } from './rechecked.tsx'

const KINDS: Readonly<Record<Evidence['kind'], string>> = {
  finding: 'finding',
  measure: 'measure of a verdict',
  span: 'span of tokens',
  chart: 'chart',
  'what-if': 'what if',
  comparison: 'comparison',
  group: 'group',
}

/** What was pinned to a hypothesis, with its numbers and where they came from. */
export function EvidenceList({ hypothesis }: { hypothesis: Hypothesis }) {
  const dump = useFiles((files) => files.dumpHash)
  if (hypothesis.evidence.length === 0) {
    return (
      <p className="quiet">
        Nothing has been pinned to it yet. Where a dump is open, <kbd>i</kbd> pins what is on screen.
      </p>
    )
  }
  return (
    <ul className="evidence-list">
      {hypothesis.evidence.map((evidence) => (
        <li key={evidence.id}>
          <p>
            <strong>{spelt(evidence.title)}</strong> <span className="quiet">{KINDS[evidence.kind]}</span>
          </p>
          {evidence.numbers.length > 0 && (
            <p>
              <EvidenceNumbers numbers={evidence.numbers} />
            </p>
          )}
          {evidence.note !== '' && <p>{upright(evidence.note)}</p>}
          <Rechecked evidence={evidence} />
          <p className="quiet">
            From {upright(evidence.from.names.join(', ')) || 'a dump'} (
            <code>{upright(evidence.from.dump.slice(0, 12))}</code>), read by {upright(evidence.from.version)},{' '}
            {shortTime(evidence.pinnedAt)}.{' '}
            {dump === evidence.from.dump ? (
              <a className="link" href={evidence.address}>
                Go there
              </a>
            ) : (
              'Open that run again to go there.'
            )}{' '}
            <button
              type="button"
              className="link"
              aria-label={`Take off: ${spelt(evidence.title)}`}
              onClick={() =>
                changeNotebook(`Evidence of ${hypothesis.id}`, (notebook, at) =>
                  unpinEvidence(notebook, hypothesis.id, evidence.id, { at }),
                )
              }
            >
              Take off
            </button>
          </p>
        </li>
      ))}
    </ul>
  )
}
