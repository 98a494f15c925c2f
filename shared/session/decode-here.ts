import type { ParsedRecords } from '../containers/container.ts'
import { decodeRecords, type EncodedRecords, type RecordsElsewhere } from '../containers/decode.ts'
import { parseRecords } from '../containers/records.ts'
import { extentOf } from '../containers/spans.ts'
import type { ReadElsewhere } from './host.ts'

/** As `decodeRecords`; what was left for this thread to read is read, and decoded before anything else is. */
export function decodeHere(
  records: EncodedRecords | RecordsElsewhere,
  numericKeys: ReadonlySet<string>,
  read: ReadElsewhere | undefined,
): ParsedRecords | Promise<ParsedRecords> {
  if (records.decoder !== 'elsewhere') return decodeRecords(records, numericKeys)
  if (read === undefined) throw new Error('This thread cannot read the file that its records are in.')
  const { spans, source } = records
  const { start, end } = extentOf(spans)
  const bytes = read(source, start, end)
  const decode = (text: Uint8Array) => parseRecords(text, spans, numericKeys)
  return bytes instanceof Promise ? bytes.then(decode) : decode(bytes)
}
