import { spelledScheme } from '../../../shared/checks/groups/scheme-words.ts'
import type { HypothesisId, HypothesisResult } from '../../../shared/model/report.ts'
import type { Hypothesis } from '../../../shared/notebook/model.ts'
import { standingOf } from '../../../shared/notebook/standing.ts'
import { useFiles } from '../../state/files.ts'
import { useSecond } from '../../state/second.ts'
import { show } from '../../state/view.ts'
import { inApp } from '../../text/app-words.ts'
import { judgedOf } from '../../text/judged.ts'
import { counted, measured } from '../../text/numbers.ts'
import { runName } from '../../text/run-name.ts'
import { upright } from '../../text/visible.ts'
import { VERDICT_WORDS } from '../../text/words.ts'
import { STANDING_SENTENCES } from './notebook-words.ts'

/** What the open dump says of a hypothesis; null where none is open, or the program has no verdict of it. */
function useVerdict(hypothesis: Pick<Hypothesis, 'verdict'>): HypothesisResult | null {
  const report = useFiles(({ report: latest }) => latest)
  if (hypothesis.verdict === null) return null
  return report?.hypotheses.find(({ id }) => id === hypothesis.verdict) ?? null
}

/** The verdict in a word, and how it stands to the person's status. */
export function VerdictMark({ hypothesis }: { hypothesis: Hypothesis }) {
  const result = useVerdict(hypothesis)
  if (result === null) return null
  const standing = standingOf(hypothesis.status, result.verdict)
  const { glyph, name } = VERDICT_WORDS[result.verdict]
  return (
    <span className={`card-verdict ${standing}`} title={`Computed from the open dump. ${STANDING_SENTENCES[standing]}`}>
      <span aria-hidden="true">{standing === 'disagree' ? '⚠' : glyph}</span> dump: {name}
      {standing === 'disagree' && <span className="visually-hidden">, which disagrees with your status</span>}
    </span>
  )
}

/** Those that a second run has a part in. */
const OF_TWO_RUNS: readonly HypothesisId[] = ['H06-library', 'H07', 'H08']

/** The verdict beside the status, with what it rests on. It is never written into the status. */
export function VerdictPanel({ hypothesis }: { hypothesis: Hypothesis }) {
  const result = useVerdict(hypothesis)
  const phase = useFiles((files) => files.phase)
  const part = useFiles(judgedOf)
  const report = useFiles((files) => files.report)
  const second = useSecond((state) => (state.run === null ? null : state.chosen))
  if (hypothesis.verdict === null) {
    return <p className="quiet">The program has no verdict of its own on this hypothesis.</p>
  }
  if (result === null || report === null) {
    return <p className="quiet">No dump is open. Drop rollouts anywhere to see here what they say.</p>
  }
  const standing = standingOf(hypothesis.status, result.verdict)
  const { glyph, name } = VERDICT_WORDS[result.verdict]
  const [first] = report.sources
  const beside = second !== null && OF_TWO_RUNS.includes(result.id) ? runName(second) : null
  return (
    <>
      <p className="verdict-line">
        <span className={`verdict-chip ${result.verdict}`}>
          <span aria-hidden="true">{glyph}</span> {name}
        </span>
        {result.verdict !== 'not-checkable' && <span className="quiet">{result.confidence} confidence</span>}
        <strong className={standing === 'disagree' ? 'warn-text' : ''}>
          {standing === 'disagree' && '⚠ '}
          {STANDING_SENTENCES[standing]}
        </strong>
      </p>
      <ul className="verdict-because">
        {result.because.slice(0, 3).map(({ measure, value }) => (
          <li key={measure}>
            <strong>{spelledScheme({ measure, value }) ?? measured(measure, value)}</strong> {measure}
          </li>
        ))}
        {result.verdict === 'not-checkable' && <li>It lacks: {result.missing.map(inApp).join('; ')}</li>}
      </ul>
      <p className="quiet">
        Computed from {upright(first?.name ?? 'the open dump')}
        {report.sources.length > 1 && ` and ${counted(report.sources.length - 1, 'more file')}`}
        {beside !== null && `, beside ${beside}`}
        {phase === 'reading' && ', still being read'}
        {part !== null && `, ${part}`}.{' '}
        <button type="button" className="link" onClick={() => show('verdicts')}>
          Open the verdicts
        </button>
      </p>
    </>
  )
}
