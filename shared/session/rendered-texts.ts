import { writtenTurns } from '../checks/edges.ts'
import type { TrajectoryFacts } from '../checks/facts.ts'
import { drawStrip } from '../checks/strip.ts'
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
}

const NO_PADDING = { left: 0, right: 0 }
const decoder = new TextDecoder()

/**
 * The texts of a rollout without ids, rendered and encoded; null where there are none, where no template is known, and where the template
 * refuses them. Texts that hold their control tokens spelt were rendered once, and are encoded as they stand.
 */
export function renderTexts({ ids, messages, tools }: Trajectory, tokenizer: Tokenizer | null): RenderedTexts | null {
  if (ids !== null || messages === null || messages.length === 0 || tokenizer === null) return null
  const { frame, table } = tokenizer
  if (frame === null) return null
  const opener = decoder.decode(bytesOf(table, frame.turnStart))
  const isRendered = opener !== '' && messages.some(({ content }) => content?.includes(opener) ?? false)
  const text = isRendered ? messages.map(({ content }) => content ?? '').join('') : rerender(tokenizer, messages, tools)
  if (text === null || text === '') return null
  const encoded = Int32Array.from(tokenizer.encode(text, { specials: true }))
  return { ids: encoded, segmentation: segment(encoded, tokenizer, NO_PADDING) }
}

/**
 * The facts of a rollout of text alone, with the lengths that its rendering has. How it ended, what was lost and who wrote what stay as the
 * dump tells them: a template closes every turn.
 */
export function withRenderedLengths(facts: TrajectoryFacts, { ids, segmentation }: RenderedTexts): TrajectoryFacts {
  const first = writtenTurns(segmentation)[0]
  return {
    ...facts,
    reconstructed: true,
    length: ids.length,
    realLength: ids.length,
    promptLength: first === undefined ? null : first.contentStart,
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
