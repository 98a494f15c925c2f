import type { TrajectoryDetail } from '../../shared/session/protocol.ts'
import { knownDetail } from '../data/details.ts'
import { useSelection } from '../state/selection.ts'
import { say } from '../state/view.ts'
import { counted } from '../text/numbers.ts'
import { turnOf } from '../views/rollout/edges.ts'

/** What a copy takes: the marked range, else the turn of the selected token, else the whole rollout. */
function span(): { start: number; end: number; index: number } | null {
  const { rollout, token, range } = useSelection.getState()
  const detail = knownDetail(rollout)
  if (detail === null || rollout === null || detail.ids === null) return null
  if (range !== null) return { start: range[0], end: range[1], index: rollout }
  const turn = token === null ? undefined : detail.segmentation?.turns[turnOf(detail, token)]
  return { start: turn?.start ?? 0, end: turn?.end ?? detail.ids.length, index: rollout }
}

export async function copyIds(): Promise<void> {
  const taken = span()
  const ids = taken === null ? null : knownDetail(taken.index)?.ids
  if (taken === null || !ids) return
  await copy(
    `[${ids.subarray(taken.start, taken.end).join(', ')}]`,
    `${counted(taken.end - taken.start, 'token id')} copied`,
  )
}

export async function copyText(): Promise<void> {
  const taken = span()
  const detail = taken === null ? null : knownDetail(taken.index)
  if (taken === null || detail === null) return
  const text = detail.text.slice(detail.textOffsets[taken.start], detail.textOffsets[taken.end])
  await copy(text, `The text of ${counted(taken.end - taken.start, 'token')} copied`)
}

export async function copyTokenId(detail: TrajectoryDetail, token: number): Promise<void> {
  await copy(String(detail.ids?.[token] ?? ''), `The id of token ${token} copied`)
}

/** The text as it is, not as it is drawn. */
export async function copyTokenText(detail: TrajectoryDetail, token: number): Promise<void> {
  await copy(
    detail.text.slice(detail.textOffsets[token], detail.textOffsets[token + 1]),
    `The text of token ${token} copied`,
  )
}

export async function copyAddress(): Promise<void> {
  // A token in the query is the way into a server, not part of what is on screen: it is never passed on.
  await copy(`${location.origin}${location.pathname}${location.hash}`, 'Link copied')
}

async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    say(said)
  } catch {
    say('The browser did not allow copying; click into the page and try again')
  }
}
