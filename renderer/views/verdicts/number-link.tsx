import type { ReactNode } from 'react'
import { showRollouts } from '../../commands/go.ts'
import type { Behind } from '../../state/query-text.ts'
import { count } from '../../text/numbers.ts'

/** What a number opens, and in words which rollouts these are. */
export interface Shows {
  readonly behind: Behind
  readonly title: string
}

/** A number that opens the rollouts it was counted in. Nothing is behind a zero, unless a fault made it one. */
export function NumberLink({ value, ...shows }: Shows & { value: number }) {
  if (value === 0 && (shows.behind.codes ?? []).length === 0) return <>{count(value)}</>
  return <ShowLink {...shows}>{count(value)}</ShowLink>
}

/** A number in words of its own, such as a share, that opens the rollouts it was made of; `open` where they are not of the open run. */
export function ShowLink({
  behind,
  title,
  open = showRollouts,
  children,
}: Shows & { open?: (behind: Behind) => void; children: ReactNode }) {
  return (
    <button type="button" className="link" title={title} onClick={() => open(behind)}>
      {children}
    </button>
  )
}

/** The rollouts with tokens that a query finds. */
export function withTokens(query: string): Shows {
  return { behind: { query }, title: `Show the rollouts with these tokens: ${query}` }
}

/** What is behind a number of trained tokens: the faults of the mask there (in this turn), if any, else the rollouts with such tokens. */
export function behindTrained(codes: readonly string[], tokens: string, turn = ''): Shows {
  if (codes.length === 0) return withTokens(`state:trained ${tokens}`)
  return {
    behind: { codes, query: turn },
    title: `Show the rollouts with ${codes.join(', ')}${turn && ' in this turn'}`,
  }
}

/** What is behind a share of trained tokens: the rollouts with those that are fewer, since they are what is to be looked at. */
export function behindShare(share: number, tokens: string): Shows {
  const isTrainedFew = share > 0 && (share <= 0.5 || share === 1)
  return withTokens(`state:${isTrainedFew ? 'trained' : 'masked'} ${tokens}`)
}
