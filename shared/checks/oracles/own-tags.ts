import { Expected, Provenance } from '../../model/tokens.ts'
import { writtenTurns } from './edges.ts'
import type { ShapedView } from './shape.ts'

/**
 * The oracle with the opening think tags as the model's own that a mask leaves out while it trains the newline behind them, in a rollout of several turns: a
 * template writes both or neither. Null where there is none. What writes the tag alone lets turns end in place all the same, and what lies late does not.
 */
export function expectedWithTags({
  ids,
  mask,
  expected,
  provenance,
  segmentation,
  tokenizer,
}: ShapedView): Uint8Array | null {
  if (mask === null || expected === null || segmentation === null || provenance === null) return null
  const newlines = tokenizer?.frame?.newlines
  const written = writtenTurns(segmentation)
  if (newlines === undefined || written.length < 2) return null
  let withTags: Uint8Array | null = null
  for (const { contentStart, spans } of written) {
    const opens = spans[0]?.part === 'think' && spans[0].start === contentStart
    if (!opens || expected[contentStart] !== Expected.undecided || provenance[contentStart] !== Provenance.silent)
      continue
    const newline = contentStart + 1
    if (!newlines.has(ids[newline] as number) || mask[contentStart] !== 0 || mask[newline] !== 1) continue
    withTags ??= expected.slice()
    withTags.fill(Expected.trained, contentStart, newline + 1)
  }
  return withTags
}
