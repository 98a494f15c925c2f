import { roleKind } from '../../model/roles.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'
import { lostAtEnd } from '../texts/lost-tokens.ts'
import { normalised } from '../texts/normalised-text.ts'

/** Characters by which a document is looked up: passages of one collection often begin alike. */
const HEAD = 60
/** Shorter answers (`yes`, `42`) are found in any text. */
const SHORTEST_ANSWER = 4
/** … and a system prompt, of which a cut may have taken little more. */
const SYSTEM_HEAD = 24

/** What a lost text held, as a person calls it: `system prompt`, `document d1`, `answer`. Empty where nothing in the record tells. */
export function namedParts({ messages, documents, answer }: Trajectory, lost: string): string[] {
  const text = normalised(lost)
  const holds = (part: string | null, length = HEAD) => {
    const head = normalised(part ?? '').slice(0, length)
    return head !== '' && text.includes(head)
  }
  const systems =
    messages?.filter(({ role, content }) => roleKind(role) === 'system' && holds(content, SYSTEM_HEAD)) ?? []
  return [
    ...(systems.length > 0 ? ['system prompt'] : []),
    ...(documents ?? []).flatMap(({ id, text: own }) => (holdsPiece(text, own) ? [`document ${id}`] : [])),
    ...(/<answer>|\\boxed\{/.test(lost) || ((answer ?? '').length >= SHORTEST_ANSWER && holds(answer))
      ? ['answer']
      : []),
  ]
}

/** Whether the start, the middle or the end of a document is in a lost text: a cut may have left the rest of it. */
function holdsPiece(text: string, document: string | null): boolean {
  const whole = normalised(document ?? '')
  if (whole === '') return false
  const middle = Math.max(0, (whole.length - HEAD) >> 1)
  return [whole.slice(0, HEAD), whole.slice(middle, middle + HEAD), whole.slice(-HEAD)].some((piece) =>
    text.includes(piece),
  )
}

/** Evidence of what the messages hold after the end of the ids: how many tokens, their text, and what was in them. */
export function lostAfterEnd(view: TrajectoryView): Record<string, unknown> {
  const { trajectory, segmentation, ids, tokenizer, text, facts } = view
  if (segmentation === null) return {}
  const lost = lostAtEnd(
    trajectory,
    { ids, padding: segmentation.padding, segmentation, tokenizer, text },
    facts.endReason,
  )
  if (lost === null) return { cut: 'right', lost_tokens: null }
  return {
    cut: 'right',
    lost_tokens: lost.tokens,
    lost_text: lost.text.slice(0, 400),
    lost_parts: namedParts(trajectory, lost.text),
  }
}
