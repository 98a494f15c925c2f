import { useEffect, useMemo, useRef } from 'react'
import { clipped } from '../../../shared/model/clipped.ts'
import type { Finding, Severity } from '../../../shared/model/report.ts'
import { TokenState, type Turn } from '../../../shared/model/tokens.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { usePaintedFrames } from '../../lists/use-painted-frames.ts'
import { jumpTo, useSelection } from '../../state/selection.ts'
import { count, counted, percent } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { SEVERITY_WORDS } from '../../text/words.ts'
import { turnOf } from './edges.ts'

/** More turns than this are reached through the tokens and the strip. */
const MOST_TURNS = 500
/** Turns that each frame draws: more than a window has room for. The first frame is waited for. */
const TURNS_AT_ONCE = 40
/** Height of a turn, as far as it is known before it is drawn. */
const TURN_REM = 3.63

interface Coverage {
  readonly turn: Turn
  /** Share of trained tokens; null where no token's mask is known. */
  readonly trained: number | null
  readonly worst: Severity | null
}

/** The turns, how much of each is trained, and which have findings. */
export function TurnOutline({ detail }: { detail: TrajectoryDetail }) {
  const token = useSelection((state) => state.token)
  const current = token === null ? -1 : turnOf(detail, token)
  const turns = useMemo(() => coverage(detail), [detail])
  const listed = Math.min(turns.length, MOST_TURNS)
  const drawn = Math.min(listed, TURNS_AT_ONCE * (1 + usePaintedFrames(Math.ceil(listed / TURNS_AT_ONCE) - 1)))
  const shown = useRef<HTMLButtonElement>(null)
  const isDrawn = current >= 0 && current < drawn
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn is the current one, or it has just been drawn
  useEffect(() => {
    shown.current?.scrollIntoView({ block: 'nearest' })
  }, [current, isDrawn])
  if (turns.length === 0) {
    return (
      <nav className="outline" aria-label="Turns">
        <p className="quiet outline-none">No turn frame was found in the ids.</p>
      </nav>
    )
  }
  return (
    <nav className="outline" aria-label="Turns">
      <ol style={{ paddingBottom: drawn < listed ? `${(listed - drawn) * TURN_REM}rem` : undefined }}>
        {turns.slice(0, drawn).map(({ turn, trained, worst }) => (
          <li key={turn.index}>
            <button
              ref={turn.index === current ? shown : undefined}
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
              {trained !== null && (
                <span className="outline-bar" aria-hidden="true">
                  <span style={{ width: `${trained * 100}%` }} />
                </span>
              )}
              <span className="outline-note">
                {trained === null
                  ? counted(turn.end - turn.start, 'token')
                  : `${count(turn.end - turn.start)} · ${percent(trained)}`}
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
  const role = spelt(clipped(turn.role, 24))
  return turn.kind === 'tool' && turn.role === 'user' ? `${role} · tool reply` : role
}

function coverage(detail: TrajectoryDetail): Coverage[] {
  return (detail.segmentation?.turns ?? []).map((turn) => {
    return {
      turn,
      trained: trainedShare(detail, turn),
      worst: worstOf(detail.findings.filter((finding) => isAt(finding, turn))),
    }
  })
}

function trainedShare({ states }: TrajectoryDetail, turn: Turn): number | null {
  let trained = 0
  let unknown = 0
  for (let token = turn.start; token < turn.end; token++) {
    if (states[token] === TokenState.trained) trained++
    else if (states[token] === TokenState.unknown) unknown++
  }
  const length = turn.end - turn.start
  return length > 0 && unknown === length ? null : trained / Math.max(1, length)
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
