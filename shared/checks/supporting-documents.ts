import type { Message, Trajectory } from '../model/trajectory.ts'
import type { PreparedTokens } from './create-facts.ts'
import { writtenTurns } from './edges.ts'
import { normalised } from './normalised-text.ts'

/** What became of each document that is marked as supporting and has a text. */
export interface DocumentFate {
  readonly id: string
  readonly title: string | null
  /** Brought to the model before its last message, according to the messages; null without messages. */
  readonly retrieved: boolean | null
  /** In the ids when the model wrote its last turn. */
  readonly visible: boolean
}

/**
 * Which supporting documents were brought to the model, and which of them it could see when it wrote its last turn (or, where the row
 * ends in the middle of a turn, what was visible before that). Only what the environment wrote counts as seen, not what the
 * model says about it. Null where no document is marked as supporting and has a text.
 */
export function documentFates(
  { documents, messages }: Trajectory,
  { segmentation, text, thresholds }: Pick<PreparedTokens, 'segmentation' | 'text' | 'thresholds'>,
): readonly DocumentFate[] | null {
  const supporting = documents?.filter(({ supporting, text }) => supporting && normalised(text ?? '') !== '') ?? []
  if (supporting.length === 0 || segmentation === null) return null
  const turns = segmentation.turns
  const cut = segmentation.cutRight ? turns.at(-1) : undefined
  const answer = cut ?? writtenTurns(segmentation).at(-1)
  let seen = ''
  for (const turn of turns) {
    if (turn.kind !== 'assistant') {
      if (answer === undefined || turn.index < answer.index) {
        seen += ` ${text({ start: turn.contentStart, end: turn.contentEnd })}`
      }
    } else for (const span of turn.spans) if (span.part === 'tool') seen += ` ${text(span)}`
  }
  const visible = normalised(seen)
  const said = messages === null ? null : normalised(environmentText(messages))
  const edge = thresholds['document-edge-characters']
  return supporting.map(({ id, title, text: own }) => {
    const document = normalised(own as string)
    return {
      id,
      title,
      retrieved: said === null ? null : holds(said, document, edge),
      visible: holds(visible, document, edge),
    }
  })
}

/** How many supporting documents the record has, how many were retrieved and how many visible; null without any. */
export function supportingDocuments(
  trajectory: Trajectory,
  tokens: Pick<PreparedTokens, 'segmentation' | 'text' | 'thresholds'>,
): { available: number; retrieved: number | null; visible: number } | null {
  const fates = documentFates(trajectory, tokens)
  if (fates === null) return null
  return {
    available: fates.length,
    retrieved: trajectory.messages === null ? null : fates.filter(({ retrieved }) => retrieved).length,
    visible: fates.filter(({ visible }) => visible).length,
  }
}

function holds(text: string, document: string, edge: number): boolean {
  return text.includes(document.slice(0, edge)) && text.includes(document.slice(-edge))
}

/** What others than the model said before its last message. */
function environmentText(messages: readonly Message[]): string {
  const answer = messages.findLastIndex(({ role }) => isAssistant(role))
  const before = answer < 0 ? messages : messages.slice(0, answer)
  return before.flatMap(({ role, content }) => (content === null || isAssistant(role) ? [] : [content])).join('\n')
}

function isAssistant(role: string): boolean {
  return /^(assistant|agent|model|gpt|ai)$/i.test(role)
}
