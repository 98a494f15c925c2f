import type { TrajectoryView } from '../checks/check.ts'
import type { Finding } from '../model/report.ts'
import { Expected, type Span, TokenFlag, TokenState, type Turn, type TurnKind } from '../model/tokens.ts'
import { tokenTexts } from '../tokens/text.ts'

/** The tokens around what a finding points at. What lies between two stretches is left out. */
export interface TokenWindow {
  readonly stretches: readonly Stretch[]
  /** Tokens of the whole sequence. */
  readonly length: number
}

/** Consecutive tokens; all arrays have their number as length. */
export interface Stretch {
  readonly start: number
  readonly ids: Int32Array
  readonly texts: readonly string[]
  /** `TokenState` each. */
  readonly states: Uint8Array
  /** 1 where the finding points at the token. */
  readonly marked: Uint8Array
  /** 1 where the structure oracle expects the other state. */
  readonly contrary: Uint8Array
  /** 1 where the token is a control token. */
  readonly special: Uint8Array
  /** The turn that the first token is in, and those that begin later in the stretch. */
  readonly turns: readonly { readonly at: number; readonly turn: TurnLabel }[]
}

export interface TurnLabel {
  /** 0-based over all turns. */
  readonly index: number
  readonly role: string
  readonly kind: TurnKind
  /** 1-based among assistant turns. */
  readonly ordinal: number
}

/** One turn in numbers, for findings that point at a whole rollout. */
export interface TurnCount extends TurnLabel {
  readonly tokens: number
  readonly trained: number
}

/** How many tokens a window shows: before and after the span, and of the span its first and its last. */
export interface WindowSize {
  readonly context: number
  readonly head: number
  readonly tail: number
}

/** Enough to see both edges of a turn and what stands there. */
export const WHOLE_WINDOW: WindowSize = { context: 12, head: 32, tail: 16 }

/** Tokens decoded beyond a stretch, so that a character split at its edge is whole: UTF-8 takes four bytes at most. */
const SPLIT = 4

/** The span of a finding in its sequence: its tokens, else its turn; null where it points at the whole rollout. */
export function spanOf({ tokens, turn }: Finding, view: TrajectoryView): Span | null {
  const at = turn === null ? undefined : view.segmentation?.turns[turn]
  const [start, end] = tokens ?? [at?.start ?? 0, at?.end ?? 0]
  const span = { start: Math.max(0, start), end: Math.min(end, view.ids.length) }
  return span.end > span.start ? span : null
}

export function windowOf(view: TrajectoryView, span: Span, { context, head, tail }: WindowSize): TokenWindow {
  const { length } = view.ids
  const from = Math.max(0, span.start - context)
  const to = Math.min(length, span.end + context)
  const cut = span.end - span.start > head + tail
  const ranges = cut
    ? [
        { start: from, end: span.start + head },
        { start: span.end - tail, end: to },
      ]
    : [{ start: from, end: to }]
  return { stretches: ranges.map((range) => stretchOf(view, range, span)), length }
}

function stretchOf(view: TrajectoryView, { start, end }: Span, span: Span): Stretch {
  const { ids, states, expected, segmentation } = view
  const marked = new Uint8Array(end - start)
  const contrary = new Uint8Array(end - start)
  for (let token = start; token < end; token++) {
    marked[token - start] = token >= span.start && token < span.end ? 1 : 0
    contrary[token - start] = disagrees(states[token], expected?.[token]) ? 1 : 0
  }
  const turns = segmentation?.turns ?? []
  return {
    start,
    ids: ids.slice(start, end),
    states: states.slice(start, end),
    marked,
    contrary,
    ...textsOf(view, start, end),
    turns: turns
      .filter((turn) => turn.end > turn.start && turn.start < end && turn.end > start)
      .map((turn) => ({ at: Math.max(turn.start, start), turn: labelOf(turn) })),
  }
}

function disagrees(state: number | undefined, expected: number | undefined): boolean {
  if (expected === Expected.trained) return state === TokenState.masked
  return expected === Expected.masked && state === TokenState.trained
}

function textsOf(view: TrajectoryView, start: number, end: number): Pick<Stretch, 'texts' | 'special'> {
  const special = new Uint8Array(end - start)
  const { tokenizer, ids } = view
  if (tokenizer === null) return { texts: Array.from(ids.subarray(start, end), (id) => `⟨${id}⟩`), special }
  const from = Math.max(0, start - SPLIT)
  const { text, textOffsets, flags } = tokenTexts(tokenizer.table, ids.subarray(from, end + SPLIT))
  const texts: string[] = []
  for (let token = start; token < end; token++) {
    const flag = flags[token - from] ?? 0
    const own = text.slice(textOffsets[token - from], textOffsets[token - from + 1])
    special[token - start] = (flag & TokenFlag.special) === 0 ? 0 : 1
    // The character of a token that starts inside one stands at an earlier token.
    texts.push(own !== '' ? own : (flag & TokenFlag.startsInsideCharacter) !== 0 ? '◂' : `⟨${ids[token]}⟩`)
  }
  return { texts, special }
}

/** Every turn in numbers, for findings that point at a whole rollout; null without turns. */
export function outlineOf({ segmentation, states }: TrajectoryView): TurnCount[] | null {
  if (segmentation === null || segmentation.turns.length === 0) return null
  return segmentation.turns.map((turn) => {
    let trained = 0
    for (let token = turn.start; token < turn.end; token++) if (states[token] === TokenState.trained) trained++
    return { ...labelOf(turn), tokens: turn.end - turn.start, trained }
  })
}

function labelOf({ index, role, kind, ordinal }: Turn): TurnLabel {
  return { index, role, kind, ordinal }
}
