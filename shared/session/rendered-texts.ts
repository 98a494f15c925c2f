import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { drawStrip } from '../checks/facts/strip.ts'
import { writtenTurns } from '../checks/oracles/edges.ts'
import { type Segmentation, TokenState } from '../model/tokens.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { segment } from '../tokens/segment.ts'
import { bytesOf } from '../tokens/table.ts'
import { rerender } from '../tokens/template/rerender.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'

/** Ids that nobody recorded: what the texts of a rollout come to under the template of a tokenizer that a person chose. */
export interface RenderedTexts {
  readonly ids: Int32Array
  readonly segmentation: Segmentation
  /** Tokens before the reply where the dump parts them, null where the turns tell. */
  readonly promptLength: number | null
}

const NO_PADDING = { left: 0, right: 0 }
const decoder = new TextDecoder()

/**
 * The texts of a rollout without ids, rendered and encoded; null where there are none, where no template is known, and where the template
 * refuses them. Texts that hold their control tokens spelt, and those that a trainer decoded whole, were rendered once and are encoded as they stand.
 */
export function renderTexts({ ids, messages, tools }: Trajectory, tokenizer: Tokenizer | null): RenderedTexts | null {
  if (ids !== null || messages === null || messages.length === 0 || tokenizer === null) return null
  const { frame, table } = tokenizer
  if (frame === null) return null
  const encode = (text: string) => tokenizer.encode(text, { specials: true })
  if (messages.some(({ flattened }) => flattened)) {
    // The prompt and the reply were two lists of ids.
    const parts = messages.map(({ content }) => encode(content ?? ''))
    const encoded = Int32Array.from(parts.flat())
    if (encoded.length === 0) return null
    const promptLength = messages[0]?.role === 'user' ? (parts[0] as number[]).length : null
    return { ids: encoded, segmentation: segment(encoded, tokenizer, NO_PADDING), promptLength }
  }
  const opener = decoder.decode(bytesOf(table, frame.turnStart))
  const isRendered = opener !== '' && messages.some(({ content }) => content?.includes(opener) ?? false)
  const text = isRendered ? messages.map(({ content }) => content ?? '').join('') : rerender(tokenizer, messages, tools)
  if (text === null || text === '') return null
  const encoded = Int32Array.from(encode(text))
  return { ids: encoded, segmentation: segment(encoded, tokenizer, NO_PADDING), promptLength: null }
}

/**
 * The facts of a rollout of text alone, with the lengths that its rendering has. How it ended, what was lost and who wrote what stay as the
 * dump tells them: a template closes every turn.
 */
export function withRenderedLengths(
  facts: TrajectoryFacts,
  { ids, segmentation, promptLength }: RenderedTexts,
): TrajectoryFacts {
  const first = writtenTurns(segmentation)[0]
  return {
    ...facts,
    reconstructed: true,
    length: ids.length,
    realLength: ids.length,
    promptLength: promptLength ?? first?.contentStart ?? null,
    unknown: ids.length,
    assistantLengths: writtenTurns(segmentation).map(
      ({ contentStart, contentEnd, endToken }) => (endToken < 0 ? contentEnd : endToken + 1) - contentStart,
    ),
    toolReplyLengths: segmentation.turns.flatMap(({ kind, contentStart, contentEnd }) =>
      kind === 'tool' ? [contentEnd - contentStart] : [],
    ),
    strip: drawStrip(new Uint8Array(ids.length).fill(TokenState.unknown)),
  }
}
