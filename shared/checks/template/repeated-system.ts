import { roleKind } from '../../model/roles.ts'
import type { Turn } from '../../model/tokens.ts'
import type { Message } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'
import { haveSameContent, isDefaultSystem } from '../system-text.ts'

/** System turns after the first that say the same, or the template's default, beyond the system messages that the dump has. */
export function repeatedSystemTurns(view: TrajectoryView): readonly Turn[] {
  const { ids, segmentation, trajectory } = view
  const systems = (segmentation?.turns ?? []).filter(({ kind, header }) => kind === 'system' && header === 'present')
  const first = systems[0]
  const meant = trajectory.messages?.filter(isSystemMessage).length ?? 0
  if (first === undefined || systems.length <= Math.max(1, meant)) return []
  // A text that begins anew is another document of a packed row.
  const restarts = new Set(segmentation?.bos.map((at) => at + 1))
  return systems.slice(1).filter((turn) => {
    const { sequenceIds, positionIds } = trajectory
    const packed =
      restarts.has(turn.start) ||
      positionIds?.[turn.start] === 0 ||
      (sequenceIds !== null && sequenceIds[turn.start] !== sequenceIds[first.start])
    return !packed && (haveSameContent(ids, first, turn) || isDefault(view, turn))
  })
}

/** Its text is what the template writes where there is no system message, and no message has it. */
function isDefault({ tokenizer, trajectory, text }: TrajectoryView, { contentStart, contentEnd }: Turn): boolean {
  return tokenizer !== null && isDefaultSystem(trajectory, tokenizer, text({ start: contentStart, end: contentEnd }))
}

export function isSystemMessage({ role, content }: Message): boolean {
  return roleKind(role) === 'system' && (content ?? '').trim() !== ''
}
