import type { JsonObject } from '../containers/container.ts'
import { numbersOf } from './fields.ts'
import type { Format, Recognition, Sample } from './format.ts'
import { readEach } from './read-each.ts'
import { type Evidence, hasAll, recogniseBy } from './recognise.ts'
import { readSftRow, SFT_NUMERIC_KEYS } from './sft-rows.ts'

/** Columns that its tokenizing, sampling and packing leave beside the ids. */
const KEPT = ['length', 'token_type_ids', 'sample_weight']

/** Datasets that `axolotl preprocess` saved, rows as the trainer's collator takes them. */
export const axolotl: Format = {
  id: 'axolotl',
  title: 'axolotl prepared datasets',
  writer: {
    project: 'axolotl-ai-cloud/axolotl',
    file: 'src/axolotl/prompt_strategies/chat_template.py',
    version: '01f6a5c1',
  },
  streams: ['ids', 'mask', 'attention_mask', 'position_ids', 'sequence_ids'],
  numericKeys: SFT_NUMERIC_KEYS,
  policy: { id: 'sft', evidence: 'axolotl prepares data for supervised fine-tuning' },
  maskAlignment: 'token',
  unsampledLogprob: null,
  maskImplied: false,
  groupsByOrder: false,
  recognise,
  read: (records, context) => readEach(records, context, (record) => readSftRow(record, KEPT)),
}

function recognise(sample: Sample): Recognition | null {
  const saved = typeof sample.metadata?.huggingface === 'string'
  return recogniseBy(sample, (record) => look(record, saved))
}

function look(record: JsonObject, saved: boolean): Evidence | null {
  if (!hasAll(record, ['input_ids', 'labels']) || numbersOf(record.labels) === null) return null
  const packs = hasAll(record, ['position_ids', 'length'])
  // Without either sign a row may be anyone's.
  if (!packs && !(saved && hasAll(record, ['attention_mask']))) return null
  const columns = ['input_ids', 'labels', 'attention_mask', 'position_ids', 'length'].filter((key) =>
    Object.hasOwn(record, key),
  )
  return {
    confidence: saved ? 0.94 : 0.91,
    seen: `columns ${columns.join(', ')}${saved ? ' in a saved Hugging Face dataset' : ''}`,
  }
}
