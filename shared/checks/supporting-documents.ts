import type { Trajectory } from '../model/trajectory.ts'
import type { PreparedTokens } from './create-facts.ts'
import { writtenTurns } from './edges.ts'
import { normalised } from './normalised-text.ts'

/** Characters of a document's start and end that must both be there: what lies between them is then there as well. */
const EDGE = 80

/**
 * How many supporting documents the record has, and how many the model could see when it wrote its last turn (or, where the row
 * ends in the middle of a turn, what was visible before that). Only what the environment wrote counts as seen, not what the
 * model says about it. Null where no document is marked as supporting and has a text.
 */
export function supportingDocuments(
  { documents }: Trajectory,
  { segmentation, text }: PreparedTokens,
): { available: number; visible: number } | null {
  const texts = documents?.flatMap((each) => (each.supporting && each.text ? [normalised(each.text)] : [])) ?? []
  if (texts.length === 0 || segmentation === null) return null
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
  const isVisible = (document: string) =>
    visible.includes(document.slice(0, EDGE)) && visible.includes(document.slice(-EDGE))
  return { available: texts.length, visible: texts.filter(isVisible).length }
}
