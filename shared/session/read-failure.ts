import type { RecordSpans } from '../containers/container.ts'
import { extentOf } from '../containers/spans.ts'
import { LOST_CODES } from '../model/lost-files.ts'
import type { ByteSource, SkippedRecord } from '../model/source.ts'
import { sentence } from './sentence.ts'

/** The bytes of a source cannot be had any more, which says nothing of the other sources. `message` is that of what the host threw. */
export class ReadFailure extends Error {
  constructor(cause: unknown) {
    super(sentence(cause), { cause })
    this.name = 'ReadFailure'
  }
}

/** As `items`, of whose source it is said that it cannot be read where they break off for another reason than the signal. */
export async function* readingFrom<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  try {
    yield* items
  } catch (error) {
    signal?.throwIfAborted()
    throw new ReadFailure(error)
  }
}

/** What is said of a file whose bytes cannot be had: one sentence or two with what to do. */
export function unreadMessage({ name }: Pick<ByteSource, 'name'>, error: unknown): string {
  const said = sentence(error)
  return said.startsWith(name)
    ? said
    : `${name} could not be read (${said}). Check that it is still there and that it may be read.`
}

/** One record that stands for all of a source from `place` on. */
export function lostFrom(
  source: ByteSource,
  place: Pick<SkippedRecord, 'record' | 'line' | 'byte'>,
  error: unknown,
): SkippedRecord {
  const message = `${unreadMessage(source, error)} From record ${place.record} on nothing of it is judged.`
  return { ...place, code: LOST_CODES.unread, message }
}

/** Where a batch begins. */
export function startOf({ first, lines, offsets }: RecordSpans): Pick<SkippedRecord, 'record' | 'line' | 'byte'> {
  return { record: first, line: lines[0] || null, byte: offsets[0] ?? 0 }
}

/** Where what follows a batch begins, as far as that is known without reading it. */
export function endOf(spans: RecordSpans): Pick<SkippedRecord, 'record' | 'line' | 'byte'> {
  const line = spans.lines.at(-1)
  return { record: spans.first + spans.offsets.length, line: line ? line + 1 : null, byte: extentOf(spans).endByte }
}
