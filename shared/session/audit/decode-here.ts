import { TOGETHER } from '../../checks/of-last.ts'
import type { ParsedRecords } from '../../containers/container.ts'
import {
  decodeRecords,
  type EncodedRecords,
  type RecordsElsewhere,
  type RecordsScanned,
} from '../../containers/decode.ts'
import { usingKernel } from '../../containers/kernel/thread-kernel.ts'
import { parseInPortions, parseScanned } from '../../containers/records.ts'
import { extentOf } from '../../containers/spans.ts'
import type { ReadElsewhere } from '../host.ts'
import { ReadFailure } from '../read-failure.ts'

/**
 * As `decodeRecords`, with what was left for this thread to read. Hands what was decoded to `take` at once, in portions where it can be: arrays of
 * numbers stand only until the next portion is asked for or `take` returns, since those of the next records are written where they are.
 */
export function withDecoded<Result>(
  records: EncodedRecords | RecordsElsewhere | RecordsScanned,
  numericKeys: ReadonlySet<string>,
  read: ReadElsewhere | undefined,
  take: (portions: Iterable<ParsedRecords>) => Result,
): Result | Promise<Result> {
  const { spans } = records
  const takeText = (text: Uint8Array) => take(parseInPortions(text, spans, numericKeys, TOGETHER))
  if (records.decoder === 'json') return takeText(records.bytes[0])
  if (records.decoder === 'scanned') {
    const { kernel, text } = records
    try {
      return usingKernel(kernel, () => take(parseScanned(kernel, text, spans, numericKeys, TOGETHER)))
    } finally {
      records.done()
    }
  }
  if (records.decoder !== 'elsewhere') {
    const parsed = decodeRecords(records, numericKeys)
    return parsed instanceof Promise ? parsed.then((whole) => take([whole])) : take([parsed])
  }
  if (read === undefined) throw new Error('This thread cannot read the file that its records are in.')
  const { firstByte: start, endByte: end } = extentOf(spans)
  const bytes = readOrFail(() => read(records.source, start, end))
  return bytes instanceof Promise ? bytes.then(takeText) : takeText(bytes)
}

/** Only what reading throws is the fault of the file. */
function readOrFail(read: () => Uint8Array | Promise<Uint8Array>): Uint8Array | Promise<Uint8Array> {
  const fail = (error: unknown): never => {
    throw new ReadFailure(error)
  }
  try {
    const bytes = read()
    return bytes instanceof Promise ? bytes.catch(fail) : bytes
  } catch (error) {
    return fail(error)
  }
}
