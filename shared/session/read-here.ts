import type { EncodedRecords, RecordsElsewhere } from '../containers/decode.ts'
import { extentOf } from '../containers/spans.ts'
import type { ReadElsewhere } from './host.ts'

/** Records as they are stored; those that were left for this thread to read are read. What it gives stands until the next call. */
export async function readHere(
  records: EncodedRecords | RecordsElsewhere,
  read: ReadElsewhere | undefined,
): Promise<EncodedRecords> {
  if (records.decoder !== 'elsewhere') return records
  if (read === undefined) throw new Error('This thread cannot read the file that its records are in.')
  const { spans, source } = records
  const { start, end } = extentOf(spans)
  return { decoder: 'json', spans, bytes: [await read(source, start, end)] }
}
