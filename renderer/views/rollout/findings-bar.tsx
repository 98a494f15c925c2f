import { memo, type RefObject, useEffect, useRef } from 'react'
import type { Finding } from '../../../shared/model/report.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { CheckName } from '../../app/check-name.tsx'
import { copyFinding, dragFinding } from '../../commands/copying.ts'
import { useChosenFinding, useOrderedFindings } from '../../data/ordered-findings.ts'
import { usePaintedFrames } from '../../lists/use-painted-frames.ts'
import { jumpToFinding, useSelection } from '../../state/selection.ts'
import { useView } from '../../state/view.ts'
import { counted } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { findingLook } from '../../text/words.ts'
import { aboutWords } from '../rollouts/note-words.ts'
import { FindingsPane } from './findings-pane.tsx'

/** More than these are counted; `]` goes through all of them. */
const MOST_LISTED = 300
/** Findings of the first frame, which is waited for: more than there is room for. */
const FIRST = 10
/** Findings that each frame behind it draws. */
const AT_ONCE = 40

/** The findings of this rollout; each jumps to its tokens. */
export function FindingsBar({ detail }: { detail: TrajectoryDetail }) {
  const findings = useOrderedFindings(detail)
  if (findings.length === 0 && detail.reconstructed) {
    return (
      <section className="findings empty" aria-label="Findings">
        – No check judges tokens that nobody recorded.
      </section>
    )
  }
  if (findings.length === 0) {
    return (
      <section className="findings empty" aria-label="Findings">
        {detail.ids === null
          ? '– No finding: without token ids most checks have nothing to look at.'
          : detail.facts.trained === null
            ? '– No finding: without a loss mask most checks have nothing to look at.'
            : '✓ No finding in this rollout.'}
      </section>
    )
  }
  return (
    <FindingsPane label={counted(findings.length, 'finding')}>
      <FindingList findings={findings} />
      {findings.length > MOST_LISTED && <p className="quiet">and {findings.length - MOST_LISTED} more</p>}
    </FindingsPane>
  )
}

function FindingList({ findings }: { findings: readonly Finding[] }) {
  const listed = Math.min(findings.length, MOST_LISTED)
  const drawn = Math.min(listed, FIRST + AT_ONCE * usePaintedFrames(Math.ceil(Math.max(0, listed - FIRST) / AT_ONCE)))
  const chosen = useChosenFinding(findings)
  const jump = useSelection((state) => state.jump)
  const here = useRef<HTMLButtonElement>(null)
  const isDrawn = chosen !== undefined && findings.indexOf(chosen) < drawn
  // biome-ignore lint/correctness/useExhaustiveDependencies: who jumps to it again has scrolled the list since
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest' })
  }, [chosen, jump, isDrawn])
  return (
    <ul>
      {findings.slice(0, drawn).map((finding) => (
        <ListedFinding key={finding.fingerprint} finding={finding} here={finding === chosen ? here : null} />
      ))}
    </ul>
  )
}

/** `here` is of the finding that was chosen. */
const ListedFinding = memo(function ListedFinding(props: {
  finding: Finding
  here: RefObject<HTMLButtonElement | null> | null
}) {
  const { finding, here } = props
  return (
    <li
      draggable
      title="Drag it into an issue or a chat: it arrives as Markdown"
      onDragStart={(event) => dragFinding(finding, event.dataTransfer)}
    >
      <FindingEntry finding={finding} here={here} />
      <button
        type="button"
        className="link about-check"
        aria-label={`Copy the finding ${finding.code} as Markdown`}
        onClick={() => void copyFinding(finding)}
      >
        copy
      </button>
      <span className="about-check">
        <CheckName code={finding.code}>about {finding.code}</CheckName>
      </span>
    </li>
  )
})

/** A message counts the turns of the assistant; beside it the place among all turns would read as another number for the same. */
const NAMES_TURN = /\bturns? \d/

function FindingEntry({ finding, here }: { finding: Finding; here: RefObject<HTMLButtonElement | null> | null }) {
  const { glyph, name, className } = findingLook(finding)
  const words = (
    <>
      <span className={`severity ${className}`}>
        <span aria-hidden="true">{glyph}</span>
        <span className="visually-hidden">{name}</span> {finding.code}
      </span>{' '}
      <span className="finding-message">{spelt(finding.message)}</span>
      <span className="quiet">
        {finding.turn !== null && !NAMES_TURN.test(finding.message) && ` · turn ${finding.turn}`}
        {finding.tokens !== null && ` · ${aboutWords(finding.tokens)}`}
        {finding.intended === true && ' · intended by the policy'}
        {finding.defect !== undefined && finding.defect !== finding.code && ` · because of ${finding.defect}`}
      </span>
    </>
  )
  const { tokens } = finding
  if (tokens === null) return <span className="finding">{words}</span>
  return (
    <button
      ref={here}
      type="button"
      className="finding"
      aria-current={here !== null ? 'true' : undefined}
      onClick={() => {
        const { tab } = useView.getState()
        if (tab !== 'tokens' && tab !== 'boundaries') useView.setState({ tab: 'tokens' })
        jumpToFinding(finding)
      }}
    >
      {words}
    </button>
  )
}
