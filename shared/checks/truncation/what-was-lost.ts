import type { Trajectory } from '../../model/trajectory.ts'
import type { TrajectoryView } from '../check.ts'
import { lostAtEnd } from '../lost-tokens.ts'
import { normalised } from '../normalised-text.ts'

/** Characters by which a document is looked up: passages of one collection often begin alike. */
const HEAD = 60
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
    messages?.filter(({ role, content }) => /^(system|developer)$/i.test(role) && holds(content, SYSTEM_HEAD)) ?? []
  return [
    ...(systems.length > 0 ? ['system prompt'] : []),
    ...(documents ?? []).flatMap(({ id, text: own }) => (holds(own) ? [`document ${id}`] : [])),
    ...(/<answer>|\\boxed\{/.test(lost) || holds(answer) ? ['answer'] : []),
  ]
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
