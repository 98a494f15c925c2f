import { roleKind } from '../../model/roles.ts'
import type { Turn } from '../../model/tokens.ts'
import type { Message } from '../../model/trajectory.ts'
import { learnedTemplateOf } from '../../tokens/template/rerender.ts'
import type { TrajectoryView } from '../check.ts'
import { wholeConversations } from '../layout/whole-conversations.ts'
import { type OwnSystemText, ownSystemText } from '../texts/own-system-text.ts'
import { haveSameContent } from '../texts/system-text.ts'

/** System turns after the first that say the same, or the template's default, beyond the system messages that the dump has. None that begin another conversation. */
export function repeatedSystemTurns(view: TrajectoryView): readonly Turn[] {
  const { ids, segmentation, trajectory } = view
  const systems = (segmentation?.turns ?? []).filter(({ kind, header }) => kind === 'system' && header === 'present')
  const first = systems[0]
  const meant = trajectory.messages?.filter(isSystemMessage).length ?? 0
  if (first === undefined || systems.length <= Math.max(1, meant)) return []
  if (wholeConversations(view).length > 0) return []
  // A text that begins anew is another document of a packed row.
  const restarts = new Set(segmentation?.bos.map((at) => at + 1))
  return systems.slice(1).filter((turn) => {
    const { sequenceIds, positionIds } = trajectory
    const packed =
      restarts.has(turn.start) ||
      positionIds?.[turn.start] === 0 ||
      (sequenceIds !== null && sequenceIds[turn.start] !== sequenceIds[first.start])
    if (packed) return false
    return haveSameContent(ids, first, turn) || saysTheSame(view, first, turn) || isDefault(view, turn, first)
  })
}

/** The same text once what the template writes around it is taken off: the second was rendered with the tools, or without them. */
export function saysTheSame(view: TrajectoryView, first: Turn, turn: Turn): boolean {
  const { own } = textOf(view, turn)
  if (own === '') return false
  const before = textOf(view, first)
  if (own === before.own) return true
  // A template whose tools are not known to be taken off: the one system message, which the first turn holds among other text.
  const [opening, ...others] = view.trajectory.messages ?? []
  if (opening === undefined || !isSystemMessage(opening) || others.some(isSystemMessage)) return false
  return own === opening.content?.trim() && before.own.includes(own)
}

/** Its text is what the template writes where there is no system message, with or without the tools of the row, and no message has it. */
function isDefault(view: TrajectoryView, turn: Turn, first: Turn): boolean {
  const { tokenizer, trajectory } = view
  if (tokenizer === null) return false
  const usual = ownSystemText(learnedTemplateOf(tokenizer)?.defaultSystem ?? '')
  const text = textOf(view, turn)
  if (text.own !== usual.own) return false
  if (usual.own !== '') return !trajectory.messages?.some(({ content }) => content?.trim() === usual.own)
  // The default has no words of its own: the dates that Llama's template writes, or nothing but the tools of the row once more.
  if (text.tools !== '' && text.tools !== textOf(view, first).tools) return false
  return text.tools !== '' || (text.dated && usual.dated)
}

function textOf({ text }: TrajectoryView, { contentStart, contentEnd }: Turn): OwnSystemText {
  return ownSystemText(text({ start: contentStart, end: contentEnd }))
}

export function isSystemMessage({ role, content }: Message): boolean {
  return roleKind(role) === 'system' && (content ?? '').trim() !== ''
}
