import type { Container, JsonValue, RawRecord } from './container.ts'
import { elementSpans, valueSpan } from './json-spans.ts'
import { DEFAULT_BATCH_BYTES, SpansBuilder } from './spans.ts'

/** The key under which an object keeps its only list, where that list holds objects; null where there is no such list. */
export function listKeyOf(value: JsonValue): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || ArrayBuffer.isView(value)) return null
  const lists = Object.entries(value).filter(([, each]) => Array.isArray(each) || ArrayBuffer.isView(each))
  const [only] = lists
  if (only === undefined || lists.length > 1) return null
  const [key, list] = only
  const holdsObjects = Array.isArray(list) && list.length > 0 && list.every(isPlainObject)
  return holdsObjects ? key : null
}

function isPlainObject(value: JsonValue): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value) && !ArrayBuffer.isView(value)
}

/**
 * A container of JSON whose one record is an object around a list, as a container of what is in the list: `{"rollouts": [{…}, {…}]}`.
 *
 * @param wrapper that record, which was read without a fault
 * @param key where its list stands
 */
export function unwrapped(container: Container, wrapper: RawRecord, key: string): Container {
  const { byte, length, value } = wrapper
  const beside = Object.keys(value as object).filter((each) => each !== key)
  const rest = beside.length === 0 ? '' : `; what stands beside it is not read (${beside.slice(0, 8).join(', ')})`
  const { linesElsewhere: _, ...given } = container
  return {
    ...given,
    givesChunks: false,
    notes: [
      ...(container.notes ?? []),
      `its records are the list under ${JSON.stringify(key)} of its one object${rest}`,
    ],
    async *index({ batchBytes = DEFAULT_BATCH_BYTES, firstBatchBytes = batchBytes, signal, onBytes } = {}) {
      const whole = {
        first: wrapper.record,
        lines: Float64Array.of(0),
        offsets: Float64Array.of(byte),
        lengths: Float64Array.of(length),
      }
      const {
        bytes: [text],
      } = await container.read(whole)
      signal?.throwIfAborted()
      const builder = new SpansBuilder({ first: firstBatchBytes, most: batchBytes })
      const list = text === undefined ? null : valueSpan(text, [key])
      for (const { start, end } of text === undefined || list === null ? [] : elementSpans(text, list.start)) {
        const full = builder.add(byte + start, end - start, 0)
        if (full !== null) yield full
      }
      const last = builder.finish()
      if (last !== null) yield last
      onBytes?.(container.source.size)
    },
  }
}
