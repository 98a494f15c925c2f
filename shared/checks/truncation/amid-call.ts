import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { isCutJson } from './cut-json.ts'

/** The JSON of the turn's last call stops in the middle (C07): a limit cut the turn, and whoever answers it put an end token there, if there is one. */
export function stopsAmidCall({ text }: Pick<TrajectoryView, 'text'>, { spans }: Turn): boolean {
  const call = spans.findLast(({ part }) => part === 'tool_call')
  return call?.closed === false && isCutJson(text(call))
}
