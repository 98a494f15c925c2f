import type { ByteSource } from '../../model/source.ts'
import { type Container, type JsonValue, UnreadableSource } from '../container.ts'
import type { EncodedValues } from '../decode.ts'
import { Budget } from '../pickle/budget.ts'
import { PickleError } from '../pickle/error.ts'
import type { ForeignName } from '../pickle/foreign.ts'
import { PickleIssues } from '../pickle/issues.ts'
import { toJson } from '../pickle/json.ts'
import type { PyValue } from '../pickle/values.ts'
import { DEFAULT_BATCH_BYTES, rowSpans } from '../spans.ts'
import { isLegacyTorch } from '../torch/legacy.ts'
import { openPickles, openTorch, type TorchOptions } from '../torch/open.ts'
import { ZipError } from '../zip/error.ts'
import { isZip, type ZipLimits } from '../zip/open.ts'
import { type PickledRecords, recordsIn } from './split.ts'

/** Every list of numbers becomes a typed array, whatever its key. */
const EVERY_KEY: ReadonlySet<string> = new (class extends Set<string> {
  override has(): boolean {
    return true
  }
})()

/**
 * Opens a pickle or what `torch.save` wrote, without running anything of it. Its structure is read once and held; tensors stay in the
 * file until the record that they belong to is read. Throws `UnreadableSource` where the pickle is damaged or too large.
 */
export async function openPickled(source: ByteSource, zip: ZipLimits): Promise<Container> {
  const head = await source.slice(0, 64)
  const isTorch = isZip(head) || isLegacyTorch(head)
  try {
    const { values, foreign, issues } = await (isTorch ? readTorch(source, { zip }) : readPickles(source, { zip }))
    const [only] = values
    const records: PickledRecords =
      values.length === 1 && only !== undefined
        ? recordsIn(only)
        : { count: values.length, record: async (index) => values[index] as PyValue }
    return containerOf(source, isTorch ? 'torch' : 'pickle', records, notesOf(foreign, issues))
  } catch (error) {
    if (!(error instanceof PickleError || error instanceof ZipError)) throw error
    throw new UnreadableSource(
      error.code,
      `${source.name} is a ${isTorch ? 'torch file' : 'Python pickle'} that cannot be read: ${error.message}`,
    )
  }
}

interface ReadValues {
  readonly values: readonly PyValue[]
  readonly foreign: readonly ForeignName[]
  readonly issues: readonly { readonly message: string; readonly count: number }[]
}

async function readTorch(source: ByteSource, options: TorchOptions): Promise<ReadValues> {
  const { value, foreign, issues } = await openTorch(source, options)
  return { values: [value], foreign, issues }
}

async function readPickles(source: ByteSource, options: TorchOptions): Promise<ReadValues> {
  const issues = new PickleIssues()
  const budget = new Budget()
  const values: PyValue[] = []
  const foreign = new Map<string, ForeignName>()
  for await (const file of openPickles(source, { ...options, budget, issues })) {
    values.push(file.value)
    for (const name of file.foreign) foreign.set(name.name, name)
  }
  return { values, foreign: [...foreign.values()], issues: issues.list() }
}

/** What was not made of the names in it, in words. */
function notesOf(foreign: ReadValues['foreign'], issues: ReadValues['issues']): string[] {
  const notes = issues.map(({ message, count }) => (count === 1 ? message : `${message} (${count} times)`))
  const called = foreign.filter(({ calls }) => calls > 0).map(({ name }) => name)
  if (called.length > 0) {
    const more = called.length > 8 ? ` and ${called.length - 8} more` : ''
    notes.push(`it asks for calls that were not made: ${called.slice(0, 8).join(', ')}${more}`)
  }
  return notes
}

function containerOf(source: ByteSource, id: string, records: PickledRecords, notes: readonly string[]): Container {
  return {
    id,
    source,
    metadata: null,
    notes,
    async *index({ batchBytes = DEFAULT_BATCH_BYTES, firstBatchBytes = batchBytes, signal, onBytes } = {}) {
      let limit = firstBatchBytes
      const perRecord = Math.max(1, source.size / Math.max(1, records.count))
      for (let first = 0; first < records.count; ) {
        signal?.throwIfAborted()
        const count = Math.min(records.count - first, Math.max(1, Math.floor(limit / perRecord)))
        yield rowSpans(first, count, 0)
        first += count
        limit = Math.min(limit * 2, batchBytes)
        onBytes?.(Math.round((source.size * first) / records.count))
      }
      onBytes?.(source.size)
    },
    async read(spans) {
      const values: EncodedValues['values'][number][] = []
      for (let i = 0; i < spans.offsets.length; i++) values.push(await readRecord(records, spans.first + i))
      return { decoder: 'values', spans, bytes: [], values }
    },
  }
}

async function readRecord(records: PickledRecords, index: number): Promise<EncodedValues['values'][number]> {
  try {
    const value: JsonValue = await toJson(await records.record(index), { numericKeys: EVERY_KEY })
    return { value }
  } catch (error) {
    if (!(error instanceof PickleError || error instanceof ZipError)) throw error
    return { code: error.code, message: error.message }
  }
}
