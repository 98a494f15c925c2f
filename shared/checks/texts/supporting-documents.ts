import { roleKind } from '../../model/roles.ts'
import type { Segmentation } from '../../model/tokens.ts'
import type { Message, Trajectory } from '../../model/trajectory.ts'
import type { PreparedTokens } from '../facts/create-facts.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { OfLast } from '../of-last.ts'
import { environmentTexts } from './before-answer.ts'
import { type Passage, passageOf, SearchedText } from './passages.ts'

/** What became of each document that is marked as supporting and has a text. */
export interface DocumentFate {
  readonly id: string
  readonly title: string | null
  /** Brought to the model before its last message, according to the messages; null without messages. */
  readonly retrieved: boolean | null
  /** In the ids when the model wrote its last turn. */
  readonly visible: boolean
  /** In the ids, be it in a reply that no answer follows. */
  readonly standing: boolean
}

type Prepared = Pick<PreparedTokens, 'segmentation' | 'text' | 'thresholds' | 'tokenizer' | 'mask' | 'provenance'>

const known = new OfLast<Segmentation, readonly DocumentFate[] | null>()

/**
 * Which supporting documents were brought to the model, and which of them it could see when it wrote its last turn (or, where the row
 * ends in the middle of a turn, what was visible before that). Only what the environment wrote counts as seen, not what the
 * model says about it. Null where no document is marked as supporting and has a text. Facts and two checks ask the same.
 */
export function documentFates(trajectory: Trajectory, prepared: Prepared): readonly DocumentFate[] | null {
  const { segmentation } = prepared
  if (segmentation === null) return null
  let fates = known.get(segmentation)
  if (fates === undefined) {
    fates = findFates(trajectory, segmentation, prepared)
    known.set(segmentation, fates)
  }
  return fates
}

function findFates(
  { documents, messages }: Trajectory,
  segmentation: Segmentation,
  prepared: Prepared,
): readonly DocumentFate[] | null {
  const edge = prepared.thresholds['document-edge-characters']
  const sought: (Pick<DocumentFate, 'id' | 'title'> & { readonly passage: Passage })[] = []
  for (const { id, title, supporting, text } of documents ?? []) {
    if (!supporting) continue
    const passage = passageOf(text ?? '', edge)
    if (passage.whole !== '') sought.push({ id, title, passage })
  }
  // Where no turn is found, nothing tells what the model had read when it answered.
  if (sought.length === 0 || segmentation.turns.length === 0) return null
  const written = environmentTexts(segmentation, prepared)
  const isAnswered = segmentation.cutRight || !endsInEmptyMessage(messages)
  const visible = new SearchedText(isAnswered ? written.seen : written.seen + written.unanswered)
  const unanswered = written.unanswered === '' ? null : new SearchedText(written.unanswered)
  const said = messages === null ? null : new SearchedText(environmentText(messages))
  return sought.map(({ id, title, passage }) => {
    const isVisible = visible.holds(passage)
    return {
      id,
      title,
      retrieved: said?.holds(passage) ?? null,
      visible: isVisible,
      standing: isVisible || (unanswered?.holds(passage) ?? false),
    }
  })
}

/** How many supporting documents the record has, how many were retrieved and how many visible; null without any. */
export function supportingDocuments(
  trajectory: Trajectory,
  tokens: Prepared,
): NonNullable<TrajectoryFacts['supportingDocuments']> | null {
  const fates = documentFates(trajectory, tokens)
  if (fates === null) return null
  return {
    available: fates.length,
    retrieved: trajectory.messages === null ? null : fates.filter(({ retrieved }) => retrieved).length,
    visible: fates.filter(({ visible }) => visible).length,
    standing: fates.filter(({ standing }) => standing).length,
  }
}

/**
 * The model's last message holds nothing. Where the header of such a turn is missing, no id stands for it but perhaps its end: what stands last
 * in the ids was read all the same.
 */
function endsInEmptyMessage(messages: readonly Message[] | null): boolean {
  const last = messages?.findLast(({ role }) => roleKind(role) === 'assistant')
  if (last === undefined) return false
  const { content, reasoning, toolCalls } = last
  return (content ?? '').trim() === '' && (reasoning ?? '').trim() === '' && (toolCalls ?? []).length === 0
}

/** What others than the model said before its last message. */
function environmentText(messages: readonly Message[]): string {
  const answer = messages.findLastIndex(({ role }) => roleKind(role) === 'assistant')
  const before = answer < 0 ? messages : messages.slice(0, answer)
  return before
    .filter(({ role, content }) => content !== null && roleKind(role) !== 'assistant')
    .map(({ content }) => content)
    .join('\n')
}
