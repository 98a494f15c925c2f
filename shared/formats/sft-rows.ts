import type { Trajectory } from '../model/trajectory.ts'
import { Fields, numbersOf } from './fields.ts'
import { type PackedSpan, sequenceOf, spansOfDocuments, spansOfPositions } from './packed-rows.ts'
import type { OneRecord } from './read-each.ts'
import { readIds, SequenceArrays } from './sequence.ts'

/** Columns that hold a value a token in the datasets of supervised trainers. */
export const SFT_NUMERIC_KEYS = ['input_ids', 'labels', 'attention_mask', 'position_ids', 'token_type_ids']

/**
 * One prepared row: `input_ids` and `labels` (-100 or the id at the same place) with attention mask and positions where they are. A
 * packed row, which the numbers of its attention mask or positions that begin anew tell, is one trajectory for each sequence.
 *
 * @param partsByMask where there are no positions, the numbers of its attention mask are all that parts the sequences of a row: all 1, they are one to the forward pass
 */
export function readSftRow(record: OneRecord, kept: readonly string[], partsByMask = false): Trajectory[] {
  const fields = new Fields(record.object)
  const ids = readIds('input_ids', fields.take('input_ids'), fields.issues)
  const arrays = new SequenceArrays(ids.length, fields.issues)
  const attentionMask = arrays.integers('attention_mask', fields.take('attention_mask'))
  const row: Trajectory = {
    ...record.blank(0),
    ids,
    mask: arrays.labels('labels', fields.take('labels'), ids),
    attentionMask,
    positionIds: arrays.integers('position_ids', fields.take('position_ids')),
    arrays: arrays.arrays,
    issues: fields.issues,
  }
  const boundaries = numbersOf(fields.objectAt('packing_params')?.sequence_boundaries)
  const spans = sequencesOf(row)
  if (boundaries !== null) compareBoundaries(boundaries, spans, fields)
  const { meta, unknown } = fields.rest(kept)
  record.drift(unknown)
  const isParted = attentionMask?.some((number) => number > 1) ?? false
  const documents = isParted || (partsByMask && row.positionIds === null) ? attentionMask : null
  const whole = { ...row, sequenceIds: documents, meta }
  if (spans.length === 1) {
    const [only] = spans as [PackedSpan]
    return [only.padding > 0 ? sequenceOf(whole, only) : whole]
  }
  return spans.map((span, part) => {
    const { id, place } = record.blank(part)
    return { ...sequenceOf(whole, span), id, place }
  })
}

/** LLaMA-Factory keeps the ends of its sequences, and of the padding behind them, beside the numbers that it packs by. */
function compareBoundaries(boundaries: ArrayLike<number>, spans: readonly PackedSpan[], fields: Fields): void {
  const ends = spans.flatMap(({ end, padding }) => (padding > 0 ? [end - padding, end] : [end]))
  const told = Array.from(boundaries).slice(1)
  if (told.join() === ends.join()) return
  fields.issue(
    'length-mismatch',
    'packing_params',
    `packing_params.sequence_boundaries ends sequences at ${told.join(', ')}, the attention mask and positions at ${ends.join(', ')}`,
  )
}

function sequencesOf({ ids, attentionMask, positionIds }: Trajectory): PackedSpan[] {
  const whole = [{ start: 0, end: ids?.length ?? 0, padding: 0 }]
  if (attentionMask?.some((number) => number > 1)) return spansOfDocuments(attentionMask)
  if (positionIds === null || positionIds[0] !== 0) return whole
  const spans = spansOfPositions(positionIds)
  return spans.length > 1 || (spans[0]?.padding ?? 0) > 0 ? spans : whole
}
