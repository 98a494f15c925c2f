import { firstReply, roleKind } from '../../model/roles.ts'
import type { Turn } from '../../model/tokens.ts'
import { rerender } from '../../tokens/template/rerender.ts'
import type { TrajectoryView } from '../check.ts'
import { encoded } from '../encoded.ts'
import { type CutSide, findCut } from './cut-text.ts'

export interface MissingPart {
  readonly side: CutSide
  readonly lost: string
  readonly lostTokens: number | null
}

/** What a system or user turn of the prompt lacks of its message; null where it lacks nothing, or where no message is known to be its own. */
export function missingPart(view: TrajectoryView, turn: Turn): MissingPart | null {
  const messages = view.trajectory.messages ?? []
  if (turn.kind !== 'user' && turn.kind !== 'system') return null
  const asked =
    view.segmentation?.turns.filter(({ kind, index }) => kind === turn.kind && index < turn.index).length ?? 0
  const prompt = messages.slice(0, Math.max(0, firstReply(messages)))
  const { content } = prompt.filter(({ role }) => roleKind(role) === turn.kind)[asked] ?? {}
  const { 'cut-shorter-characters': shorter } = view.thresholds
  if (!content || content.length < shorter) return null
  if (asked === 0 && turn.kind === 'user') {
    const part = missingBesideTools(view, turn, content)
    if (part !== null) return part
  }
  // A token is rarely longer than this many characters on average: most turns are decided without decoding.
  if (turn.contentEnd - turn.contentStart > content.length) return null
  const text = view.text({ start: turn.contentStart, end: turn.contentEnd })
  if (text.length + shorter > content.length) return null
  const cut = findCut(text, content, view.thresholds)
  return cut === null ? null : withTokens(view, cut)
}

/** A question that stands behind the schemas of tools in one turn (Llama), where the end of it or the middle of both is gone. */
function missingBesideTools(view: TrajectoryView, turn: Turn, question: string): MissingPart | null {
  const { tokenizer, trajectory } = view
  const { messages, tools } = trajectory
  if (tokenizer === null || messages === null || !tools?.length) return null
  const text = view.text({ start: turn.contentStart, end: turn.contentEnd })
  if (text.length <= question.length / 2 || text.includes(question.trim())) return null
  const rendered = rerender(tokenizer, messages.slice(0, firstReply(messages)), tools)
  const at = rendered?.lastIndexOf(question.trim()) ?? -1
  const header = view.text({ start: turn.start, end: turn.headerEnd })
  const start = at < 0 || header === '' ? -1 : (rendered as string).lastIndexOf(header, at)
  if (start < 0 || start + header.length === at) return null
  const whole = (rendered as string).slice(start + header.length, at + question.trim().length)
  const cut = findCut(text, whole, view.thresholds)
  // A turn that begins with the question was never given the schemas, which is T07.
  return cut === null || cut.side === 'left' ? null : withTokens(view, cut)
}

function withTokens({ tokenizer }: TrajectoryView, { side, lost }: Omit<MissingPart, 'lostTokens'>): MissingPart {
  return { side, lost, lostTokens: tokenizer === null ? null : (encoded(tokenizer, lost)?.length ?? null) }
}
