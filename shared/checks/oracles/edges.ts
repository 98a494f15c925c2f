import { counted } from '../../model/number-text.ts'
import type { Segmentation, Span, Turn, TurnKind } from '../../model/tokens.ts'
import type { TrajectoryView } from '../check.ts'
import { OfLast } from '../of-last.ts'

/** The name of the edge between two turns; names are made once, because every check counts every edge by them. */
function edge(before: TurnKind | 'start', after: TurnKind | 'end'): string {
  let from = edges.get(before)
  if (from === undefined) edges.set(before, (from = new Map()))
  let name = from.get(after)
  if (name === undefined) from.set(after, (name = `${before}>${after}`))
  return name
}

const edges = new Map<TurnKind | 'start', Map<TurnKind | 'end', string>>()

const named = new OfLast<Segmentation, readonly string[]>()

/** The edges before each turn, and the one behind the last: a dozen checks count by them. */
export function edgesIn(segmentation: Segmentation): readonly string[] {
  let names = named.get(segmentation)
  if (names === undefined) {
    names = namesOf(segmentation.turns)
    named.set(segmentation, names)
  }
  return names
}

/** Pushed one by one: what `map` and a spread make is of another kind for V8 once they are compiled, and all code that reads it is compiled again. */
function namesOf(turns: readonly Turn[]): string[] {
  const names: string[] = []
  let before: TurnKind | 'start' = 'start'
  for (const { kind } of turns) {
    names.push(edge(before, kind))
    before = kind
  }
  names.push(edge(before, 'end'))
  return names
}

/** `assistant>tool`: the edge between a turn and the one after it; `end` where the row ends. */
export function edgeAfter(segmentation: Segmentation, turn: Turn): string {
  return edgesIn(segmentation)[turn.index + 1] as string
}

/** The edge between a turn and the one before it; `start` where the row begins with the turn. */
export function edgeBefore(segmentation: Segmentation, turn: Turn): string {
  return edgesIn(segmentation)[turn.index] as string
}

const BEFORE = ['system', 'user', 'tool', 'assistant', 'other'] as const satisfies readonly TurnKind[]
const AFTER = [...BEFORE, 'end'] as const

/** Every kind of edge behind a turn; `TrajectoryFacts.edges` has a bit for each, in this order. */
export const EDGE_NAMES: readonly string[] = BEFORE.flatMap((before) => AFTER.map((after) => edge(before, after)))

/** The kinds of edges of a row, as bits by `EDGE_NAMES`. A bare generation prompt at its end was never meant to end. */
export function edgesOf({ turns, endsWithGenerationPrompt }: Segmentation): number {
  let bits = 0
  for (let i = 0; i < turns.length; i++) {
    const after = turns[i + 1]?.kind ?? 'end'
    if (after === 'end' && endsWithGenerationPrompt) continue
    bits |= 1 << (BEFORE.indexOf((turns[i] as Turn).kind) * AFTER.length + AFTER.indexOf(after))
  }
  return bits
}

/** Of such bits those of the model's turns that somebody else's follow. */
export function answeredEdges(bits: number): number {
  return bits & ANSWERED
}

const ANSWERED = EDGE_NAMES.reduce(
  (mask, name, bit) => (/^assistant>(?!assistant|end)/.test(name) ? mask | (1 << bit) : mask),
  0,
)

const filled = new OfLast<Segmentation, readonly Turn[]>()
const written = new OfLast<Segmentation, readonly Turn[]>()

/** All turns but those in which nothing was written: a bare generation prompt, with or without an opening think tag. */
export function filledTurns(segmentation: Segmentation): readonly Turn[] {
  let found = filled.get(segmentation)
  if (found === undefined) {
    const { turns, endsWithGenerationPrompt } = segmentation
    const last = endsWithGenerationPrompt ? turns.length - 1 : turns.length
    found = turns.filter(({ index, kind, contentStart, contentEnd }) => {
      return index < last && (kind !== 'assistant' || contentEnd > contentStart)
    })
    filled.set(segmentation, found)
  }
  return found
}

/** Assistant turns that hold something. */
export function writtenTurns(segmentation: Segmentation): readonly Turn[] {
  let found = written.get(segmentation)
  if (found === undefined) {
    found = filledTurns(segmentation).filter(({ kind }) => kind === 'assistant')
    written.set(segmentation, found)
  }
  return found
}

/** The model's last turn: one that holds something, or that it closed with nothing in it. */
export function answerTurn(segmentation: Segmentation): Turn | undefined {
  return segmentation.turns.findLast(
    ({ kind, contentStart, contentEnd, endToken }) =>
      kind === 'assistant' && (contentEnd > contentStart || endToken >= 0),
  )
}

/** Tokens of a turn that the loss can take: content and end. */
export function sampledSpan({ contentStart, contentEnd, endToken }: Turn): Span {
  return { start: contentStart, end: endToken >= 0 ? endToken + 1 : contentEnd }
}

/** The content of a turn without the replies that are spliced into it. */
export function contentSpans({ spans, contentStart, contentEnd }: Turn): Span[] {
  const own: Span[] = []
  let from = contentStart
  for (const { part, start, end } of spans) {
    if (part !== 'tool') continue
    own.push({ start: from, end: start })
    from = end
  }
  return [...own, { start: from, end: contentEnd }]
}

/** What the model wrote in a turn, end token included, the replies spliced into it left out. */
export function ownSpans(turn: Turn): Span[] {
  const spans = contentSpans(turn)
  const { start } = spans.pop() as Span
  return [...spans, { start, end: sampledSpan(turn).end }]
}

/** The last trained token of the row's last turn, or its last word where none of it is trained: nothing comes behind it. */
export function rowEnd({ segmentation, mask }: Pick<TrajectoryView, 'segmentation' | 'mask'>): number {
  const last = segmentation === null ? undefined : filledTurns(segmentation).at(-1)
  if (last === undefined) return Number.POSITIVE_INFINITY
  const end = last.endToken >= 0 ? last.endToken : last.contentEnd - 1
  const trained = mask?.lastIndexOf(1, end) ?? -1
  return trained >= last.contentStart ? trained : end
}

/** `1 token`, `245 tokens`. */
export function tokenCount(count: number): string {
  return counted(count, 'token')
}

/** A token count with its verb: `1 token of a tool reply carries loss`, `245 tokens … carry loss`. */
export function carryLoss(count: number, where: string): string {
  return `${tokenCount(count)} ${where} ${count === 1 ? 'carries' : 'carry'} loss`
}
