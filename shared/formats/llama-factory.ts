import type { JsonObject } from '../containers/container.ts'
import { isObject, numbersOf } from './fields.ts'
import type { Format } from './format.ts'
import { readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { readSftRow, SFT_NUMERIC_KEYS } from './sft-rows.ts'

const MEDIA = ['images', 'videos', 'audios']

/** Datasets that LLaMA-Factory saved under `tokenized_path`, packed (`packing`, `neat_packing`) or not. */
export const llamaFactory: Format = {
  id: 'llama-factory',
  title: 'LLaMA-Factory tokenized datasets',
  writer: {
    project: 'hiyouga/LLaMA-Factory',
    file: 'src/llamafactory/data/processor/supervised.py',
    version: '0b3022bb',
  },
  streams: ['ids', 'mask', 'attention_mask', 'position_ids', 'sequence_ids'],
  numericKeys: [...SFT_NUMERIC_KEYS, 'sequence_boundaries', 'image_subseq_ids', 'video_subseq_ids', 'audio_subseq_ids'],
  policy: { id: 'sft', evidence: 'LLaMA-Factory tokenizes data for supervised fine-tuning' },
  maskAlignment: 'token',
  unsampledLogprob: null,
  maskImplied: false,
  groupsByOrder: false,
  recognise: (sample) => recogniseBy(sample, look),
  read: (records, context) => readEach(records, context, (record) => readSftRow(record, MEDIA, true)),
}

function look(record: JsonObject): Evidence | null {
  if (!hasAll(record, ['input_ids', 'attention_mask', 'labels']) || numbersOf(record.labels) === null) return null
  if (isObject(record.packing_params)) return { confidence: 0.98, seen: 'columns input_ids, labels, packing_params' }
  if (!hasAll(record, MEDIA)) return null
  return { confidence: 0.97, seen: `columns input_ids, attention_mask, labels, ${MEDIA.join(', ')}` }
}
