import { partitionPoint } from '../../model/partition-point.ts'
import { firstReply, roleKind } from '../../model/roles.ts'
import { Provenance, type Segmentation, type Span, type Turn } from '../../model/tokens.ts'
import { tokenTexts } from '../../tokens/text.ts'
import type { TrajectoryView } from '../check.ts'
import { countOf } from '../oracles/spans.ts'
import { normalised } from '../texts/normalised-text.ts'

/** The last turn of the model, in which others have the word without markers. */
export interface WordsOfOthers {
  readonly turn: Turn
  /** From the name of the other's role to that of the model's, of each. */
  readonly spans: readonly Span[]
}

/**
 * What decoding with `skip_special_tokens` leaves of a response that was encoded again behind a prompt with its markers: one turn, in which the names of
 * roles stand alone. A model may write such names itself: that others have the word is told by a mask that leaves just them out, by who wrote them, or by
 * a message that the ids have no turn for. Null where nothing tells.
 */
export function wordsOfOthers(view: TrajectoryView): WordsOfOthers | null {
  const { segmentation, tokenizer } = view
  const turn = segmentation?.turns.at(-1)
  if (segmentation === null || tokenizer === null || turn?.kind !== 'assistant' || turn.header !== 'present')
    return null
  const messages = messagesWithoutTurn(view, segmentation)
  const isWhole = [view.mask, view.provenance].every((stream) => stream === null || !hasGap(stream, turn))
  if (messages.length === 0 && isWhole) return null
  const { text, textOffsets } = tokenTexts(tokenizer.table, view.ids.subarray(turn.contentStart, turn.contentEnd))
  const found = segmentation.hasSeparator
    ? [...upToLast(text, '\nassistant\n').matchAll(ON_LINES)]
    : [...upToLast(text, 'assistant\n\n', (at) => at > 0 && text.charAt(at - 1).trim() !== '').matchAll(JOINED)]
  if (found.length === 0) return null
  const tokenAt = (character: number) =>
    turn.contentStart + partitionPoint(textOffsets.length - 1, (i) => (textOffsets[i + 1] as number) <= character)
  const spans = found.map(({ index, 0: words }) => ({ start: tokenAt(index), end: tokenAt(index + words.length) }))
  if (spans.some(({ start }) => turn.spans.some((own) => own.part === 'tool' && own.start <= start && start < own.end)))
    return null
  const { 'looked-up-characters': length } = view.thresholds
  const said = found.map(([words]) => normalised(words))
  const isSaid = messages.some((message) => {
    const opening = normalised(message).slice(0, length)
    return opening !== '' && said.some((words) => words.includes(opening))
  })
  const isLeftOut = [view.mask, view.provenance].some(
    (stream) => stream !== null && spans.every((span) => isGap(stream, span, turn)),
  )
  return isSaid || isLeftOut ? { turn, spans } : null
}

/** ChatML puts names on lines of their own. */
const ON_LINES = /\n(?:user|tool)\n[\s\S]*?\nassistant\n/g
/** Llama writes no newline before a header and two after it: names follow upon the last word, and upon a blank in prose alone. */
const JOINED = /(?<=\S)(?:ipython|user|tool)\n\n[\s\S]*?\Sassistant\n\n/g

/** A text to the end of the last `name` that counts: what begins behind it ends nowhere, and would be looked for to the end of the text from each beginning. */
function upToLast(text: string, name: string, counts: (at: number) => boolean = () => true): string {
  let last = text.lastIndexOf(name)
  while (last > 0 && !counts(last)) last = text.lastIndexOf(name, last - 1)
  return last < 0 || !counts(last) ? '' : text.slice(0, last + name.length)
}

/** What others say behind the first reply, where the ids have fewer turns of others behind the model's first. */
function messagesWithoutTurn({ trajectory }: TrajectoryView, { turns }: Segmentation): string[] {
  const messages = trajectory.messages ?? []
  const reply = firstReply(messages)
  const behind = reply < 0 ? [] : messages.slice(reply).filter(({ role }) => roleKind(role) !== 'assistant')
  const first = turns.findIndex(({ kind }) => kind === 'assistant')
  const shown = turns.slice(first).filter(({ kind }) => kind !== 'assistant').length
  return behind.length > shown ? behind.flatMap(({ content }) => content ?? []) : []
}

/** The values of a mask, and those of who wrote a token, have 1 for what is the model's and 0 for what is not. */
function hasGap(stream: Uint8Array, { contentStart, contentEnd }: Turn): boolean {
  const own = stream.indexOf(Provenance.sampled, contentStart)
  return own >= 0 && own < contentEnd && countOf(stream, Provenance.notSampled, own, contentEnd) > 0
}

/** Of a mask that was made on other ids the edges are off by some tokens. */
const BESIDE = 8

/** Whether most of a span is not the model's, and what stands on either side of it is: a document that quotes a chat has more of its kind around it. */
function isGap(stream: Uint8Array, { start, end }: Span, { contentStart, contentEnd }: Turn): boolean {
  const before = Math.max(contentStart, start - BESIDE)
  const after = Math.min(contentEnd, end + BESIDE)
  return (
    2 * countOf(stream, Provenance.notSampled, start, end) > end - start &&
    countOf(stream, Provenance.sampled, before, start) > 0 &&
    countOf(stream, Provenance.sampled, end, after) > 0
  )
}
