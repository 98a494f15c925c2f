import type { JsonObject } from '../containers/container.ts'
import type { Trajectory } from '../model/trajectory.ts'
import { Fields, numbersOf } from './fields.ts'
import type { Format } from './format.ts'
import { type PackedSpan, sequenceOf } from './packed-rows.ts'
import { type OneRecord, readEach } from './read-each.ts'
import { type Evidence, recogniseBy } from './recognise.ts'
import { readIds, SequenceArrays } from './sequence.ts'
import { SFT_NUMERIC_KEYS } from './sft-rows.ts'

const LENGTHS = 'seq_lengths'
/** Both leave tokens out of the loss, until `SFTTrainer` folds them into `labels`. */
const MASKS = ['completion_mask', 'assistant_masks'] as const

/**
 * Datasets that TRL's `pack_dataset` made (`bfd`, `bfd_split`): a row is several sequences, whose lengths stand beside it. From them the collator makes
 * positions that begin anew, so that the rows themselves need not have any. The strategy `wrapped` keeps no lengths: nothing tells its rows from others.
 */
export const trlPacked: Format = {
  id: 'trl-packed',
  title: 'TRL packed datasets',
  writer: { project: 'huggingface/trl', file: 'trl/data_utils.py', version: 'f2cd57710' },
  streams: ['ids', 'mask', 'attention_mask', 'position_ids', 'sequence_ids'],
  numericKeys: [...SFT_NUMERIC_KEYS, ...MASKS, LENGTHS],
  policy: { id: 'sft', evidence: 'TRL packs data for supervised fine-tuning' },
  maskAlignment: 'token',
  unsampledLogprob: null,
  maskImplied: false,
  groupsByOrder: false,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, readRow),
}

function look(record: JsonObject): Evidence | null {
  const [ids, lengths] = [numbersOf(record.input_ids), numbersOf(record[LENGTHS])]
  if (ids === null || lengths === null || lengths.length === 0) return null
  const seen = ['input_ids', 'labels', ...MASKS, LENGTHS].filter((key) => numbersOf(record[key]) !== null)
  return { confidence: spansOf(lengths, ids.length) === null ? 0.7 : 0.96, seen: `columns ${seen.join(', ')}` }
}

function readRow(record: OneRecord): Trajectory[] {
  const fields = new Fields(record.object)
  const ids = readIds('input_ids', fields.take('input_ids'), fields.issues)
  const arrays = new SequenceArrays(ids.length, fields.issues)
  const masks = MASKS.map((name) => arrays.mask(name, fields.take(name))?.mask ?? null)
  const labels = arrays.labels('labels', fields.take('labels'), ids)
  const row: Trajectory = {
    ...record.blank(0),
    ids,
    mask: labels ?? both(masks),
    attentionMask: arrays.integers('attention_mask', fields.take('attention_mask')),
    positionIds: arrays.integers('position_ids', fields.take('position_ids')),
    arrays: arrays.arrays,
    issues: fields.issues,
  }
  const lengths = numbersOf(fields.take(LENGTHS))
  const spans = lengths === null ? null : spansOf(lengths, ids.length)
  if (spans === null && lengths !== null) {
    const sum = Array.from(lengths).reduce((total, length) => total + length, 0)
    fields.issue('length-mismatch', LENGTHS, `${LENGTHS} are ${sum} tokens together, input_ids ${ids.length}`)
  }
  const { meta, unknown } = fields.rest([])
  record.drift(unknown)
  const whole = { ...row, meta }
  if (spans === null) return [whole]
  const sequenceIds = new Int32Array(ids.length)
  for (const [at, { start, end }] of spans.entries()) sequenceIds.fill(at, start, end)
  return spans.map((span, part) => {
    const { id, place } = record.blank(part)
    return { ...sequenceOf({ ...whole, sequenceIds }, span), id, place }
  })
}

/** What either mask leaves out is not trained. */
function both([one = null, other = null]: readonly (Uint8Array | null)[]): Uint8Array | null {
  if (one === null || other === null) return one ?? other
  return one.map((flag, at) => (other[at] === 0 || (flag === 1 && other[at] !== 1) ? (other[at] as number) : flag))
}

/** Null where the lengths are not those of the parts of the row. */
function spansOf(lengths: ArrayLike<number>, length: number): PackedSpan[] | null {
  const spans: PackedSpan[] = []
  let start = 0
  for (const tokens of Array.from(lengths)) {
    if (!Number.isInteger(tokens) || tokens < 0 || start + tokens > length) return null
    if (tokens > 0) spans.push({ start, end: start + tokens, padding: 0 })
    start += tokens
  }
  return start === length && spans.length > 0 ? spans : null
}
