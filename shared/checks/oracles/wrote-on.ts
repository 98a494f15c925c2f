import { PART, Provenance, type Segmentation } from '../../model/tokens.ts'
import type { TurnFrame } from '../../tokens/tokenizer.ts'

/**
 * What a base model wrote in one go past the end of its own turn, as `provenanceOracle` tells it; null where it is not known to have done so.
 *
 * Such a model stops on the end of a text (`<|endoftext|>`), not on the end of a turn, and may write turns of others before it gets there. No template
 * writes that token behind turns: where it is the last with loss, and loss runs up to it from inside an assistant turn, all of the run was sampled. Replies of
 * tools in between are the environment's, and then the mask alone says nothing.
 */
export function wroteOn(
  ids: Int32Array,
  mask: Uint8Array | null,
  segmentation: Segmentation | null,
  frame: TurnFrame | null,
): Uint8Array | null {
  const last = mask?.lastIndexOf(1) ?? -1
  if (mask === null || segmentation === null || last < 0 || !frame?.textEnds.includes(ids[last] as number)) return null
  const { turns, parts, padding } = segmentation
  // The last token may count as padding, whose id it often has.
  const end = ids.length - padding.right
  if (last !== end && last !== end - 1) return null
  let start = last
  while (start > 0 && mask[start - 1] === 1) start--
  const first = turns.find((turn) => start >= turn.start && start < turn.end)
  if (first === undefined || first.kind !== 'assistant' || start > first.contentEnd) return null
  const later = turns.slice(first.index + 1)
  const isReply = later.some(
    ({ kind, start, end }) => kind === 'tool' || parts.subarray(start, end).includes(PART.tool),
  )
  if (isReply || later.every(({ kind }) => kind === 'assistant')) return null
  return new Uint8Array(ids.length).fill(Provenance.silent).fill(Provenance.sampled, start, last + 1)
}
