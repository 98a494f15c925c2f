import { showRollouts } from '../../commands/go.ts'
import type { Behind } from '../../state/query-text.ts'
import { count } from '../../text/numbers.ts'

/** A number that opens the rollouts it was counted in. Nothing is behind a zero, unless a fault made it one. */
export function NumberLink({ value, behind, title }: { value: number; behind: Behind; title: string }) {
  if (value === 0 && (behind.codes ?? []).length === 0) return <>{count(value)}</>
  return (
    <button type="button" className="link" title={title} onClick={() => showRollouts(behind)}>
      {count(value)}
    </button>
  )
}

/** What is behind a number of trained tokens: the faults of the mask there, if any, else the rollouts with such tokens. */
export function behindTrained(codes: readonly string[], query: string): { behind: Behind; title: string } {
  return codes.length > 0
    ? { behind: { codes }, title: `Show the rollouts with ${codes.join(', ')}` }
    : { behind: { query }, title: `Show the rollouts with these tokens: ${query}` }
}
