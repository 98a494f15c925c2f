import { useMemo } from 'react'
import type { Finding, Severity } from '../../../shared/model/report.ts'
import { TokenState, type Turn } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { jumpTo, useSelection } from '../../state/selection.ts'
import { count, percent } from '../../text/numbers.ts'
import { SEVERITY_WORDS } from '../../text/words.ts'
import { turnOf } from './edges.ts'

/** More turns than this are reached through the tokens and the strip. */
const MOST_TURNS = 500

interface Coverage {
  readonly turn: Turn
  readonly trained: number
  readonly worst: Severity | null
}

/** The turns, how much of each is trained, and which have findings. */
export function TurnOutline({ detail }: { detail: TrajectoryDetail }) {
  const token = useSelection((state) => state.token)
  const current = token === null ? -1 : turnOf(detail, token)
  const turns = useMemo(() => coverage(detail), [detail])
  if (turns.length === 0) {
    return (
      <nav className="outline" aria-label="Turns">
        <p className="quiet outline-none">
          {detail.ids === null ? 'This dump carries no token ids.' : 'No turn frame was found in the ids.'}
        </p>
      </nav>
    )
  }
  return (
    <nav className="outline" aria-label="Turns">
      <ol>
        {turns.slice(0, MOST_TURNS).map(({ turn, trained, worst }) => (
          <li key={turn.index}>
            <button
              type="button"
              className={`outline-turn ${turn.kind}`}
              aria-current={turn.index === current ? 'true' : undefined}
              onClick={() => jumpTo(turn.start, null)}
            >
              <span className="outline-index">{turn.index}</span>
              <span className="outline-role">{roleOf(turn)}</span>
              {worst !== null && (
                <span className={`severity ${worst}`}>
                  <span aria-hidden="true">{SEVERITY_WORDS[worst].glyph}</span>
                  <span className="visually-hidden">{SEVERITY_WORDS[worst].name}</span>
                </span>
              )}
              <span className="outline-bar" aria-hidden="true">
                <span style={{ width: `${(trained / Math.max(1, turn.end - turn.start)) * 100}%` }} />
              </span>
              <span className="outline-note">
                {count(turn.end - turn.start)} · {percent(trained / Math.max(1, turn.end - turn.start))}
                {turn.header === 'missing' && ' · no header'}
              </span>
            </button>
          </li>
        ))}
      </ol>
      {turns.length > MOST_TURNS && (
        <p className="quiet outline-none">and {count(turns.length - MOST_TURNS)} more turns</p>
      )}
    </nav>
  )
}

export function roleOf(turn: Turn): string {
  const role = turn.role.length > 24 ? `${turn.role.slice(0, 23)}…` : turn.role
  return turn.kind === 'tool' && turn.role === 'user' ? `${role} · tool reply` : role
}

function coverage(detail: TrajectoryDetail): Coverage[] {
  return (detail.segmentation?.turns ?? []).map((turn) => {
    let trained = 0
    for (let token = turn.start; token < turn.end; token++) if (detail.states[token] === TokenState.trained) trained++
    return { turn, trained, worst: worstOf(detail.findings.filter((finding) => isAt(finding, turn))) }
  })
}

function isAt(finding: Finding, turn: Turn): boolean {
  if (finding.intended === true) return false
  if (finding.turn !== null) return finding.turn === turn.index
  return finding.tokens !== null && finding.tokens[0] < turn.end && finding.tokens[1] > turn.start
}

function worstOf(findings: readonly Finding[]): Severity | null {
  for (const severity of ['error', 'warning', 'info'] as const) {
    if (findings.some((finding) => finding.severity === severity)) return severity
  }
  return null
}
