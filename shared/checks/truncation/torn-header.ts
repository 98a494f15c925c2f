import { roleKind } from '../../model/roles.ts'
import type { Turn } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'

/** A header of which the end was cut away. */
export interface TornHeader {
  readonly role: string
  /** Token at which other words follow the role. */
  readonly at: number
}

/** Where a frame closes its headers with a token of their own (Llama): a role, and words of the prompt instead of that token. */
export function tornHeader({ tokenizer, ids, mask, text }: TrajectoryView, turn: Turn): TornHeader | null {
  const headerEnd = tokenizer?.frame?.headerEnd ?? -1
  const { kind, header, start, end } = turn
  if (kind !== 'other' || header !== 'present' || headerEnd < 0 || mask?.[start] === 1) return null
  const at = start + 2
  if (at >= end) return null
  const role = text({ start: start + 1, end: at }).trim()
  const named = roleKind(role)
  if (named !== 'system' && named !== 'user' && named !== 'tool') return null
  for (let i = at; i < end; i++) if (ids[i] === headerEnd) return null
  return { role, at }
}
