import { clipped } from '../../../shared/model/clipped.ts'
import type { TrajectoryDetail } from '../../../shared/session/protocol.ts'
import { count } from '../../text/numbers.ts'
import { spelt } from '../../text/visible.ts'
import { tokenText } from './token-text.ts'

/** Characters of a token's text that its tooltip has; nobody reads more of one. */
const MOST_TEXT = 200

/** A token's tooltip: its text, which a cell of the grid may cut, its place and its id. */
export function tokenTitle(
  detail: Pick<TrajectoryDetail, 'ids' | 'text' | 'textOffsets' | 'flags'>,
  token: number,
): string {
  const id = detail.ids?.[token]
  const place = `token ${count(token)}${id === undefined ? '' : ` · id ${id}`}`
  return `${spelt(clipped(tokenText(detail, token), MOST_TEXT))}\n${place}`
}

/** Titles the token under the pointer. One for each of them ahead would be as many attributes as there are tokens. */
export function titleToken(detail: TrajectoryDetail, target: EventTarget): void {
  const element = target instanceof Element ? target.closest<HTMLElement>('[data-token]') : null
  if (element !== null) element.title = tokenTitle(detail, Number(element.dataset.token))
}
