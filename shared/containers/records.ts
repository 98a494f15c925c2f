import { hashBytes } from '../model/bulk-hash.ts'
import type { SkippedRecord } from '../model/source.ts'
import type { ParsedRecords, RawRecord, RecordSpans } from './container.ts'
import type { EncodedTexts } from './decode.ts'
import { parseJson } from './json.ts'
import { JsonError } from './json-error.ts'
import type { Kernel } from './kernel/kernel.ts'
import { inKernel, kernelOver } from './kernel/thread-kernel.ts'
import type { ScannedText } from './scan-ahead.ts'
import { asSmall } from './spans.ts'

/**
 * Parses JSON records of `spans`, whose bytes (`given`) `Container.read` gave. Never throws for what the bytes hold: each span ends
 * up in `records` or in `skipped` (`bad-json`, `not-an-object`, or what the container itself found damaged).
 */
export function parseRecords(given: Uint8Array, spans: RecordSpans, numericKeys: ReadonlySet<string>): ParsedRecords {
  const bytes = inKernel(given)
  kernelOver(bytes)?.begin(false)
  return parseSpans(bytes, spans, 0, spans.offsets.length, numericKeys)
}

/**
 * As `parseRecords`, `most` records at a time, each when it is asked for: whoever is done with some of them before the next are parsed holds no
 * more than these. Arrays of numbers stand no longer than that, and no other records may be read in this thread before the last.
 */
export function* parseInPortions(
  given: Uint8Array,
  spans: RecordSpans,
  numericKeys: ReadonlySet<string>,
  most: number,
): Generator<ParsedRecords, void> {
  const bytes = inKernel(given)
  for (let from = 0; from < spans.offsets.length; from += most) {
    kernelOver(bytes)?.begin(true)
    yield parseSpans(bytes, spans, from, Math.min(from + most, spans.offsets.length), numericKeys)
  }
}

/** As `parseInPortions`, of records whose numbers another thread scanned. */
export function* parseScanned(
  kernel: Kernel,
  text: ScannedText,
  spans: RecordSpans,
  numericKeys: ReadonlySet<string>,
  most: number,
): Generator<ParsedRecords, void> {
  const bytes = kernel.enterScanned(text)
  try {
    for (let from = 0; from < spans.offsets.length; from += most) {
      kernel.begin(true)
      yield parseSpans(bytes, spans, from, Math.min(from + most, spans.offsets.length), numericKeys, text.hashes)
    }
  } finally {
    kernel.leave()
  }
}

function parseSpans(
  bytes: Uint8Array,
  spans: RecordSpans,
  from: number,
  to: number,
  numericKeys: ReadonlySet<string>,
  hashes: readonly (string | null)[] | null = null,
): ParsedRecords {
  const records: RawRecord[] = []
  const skipped: SkippedRecord[] = []
  const base = spans.offsets[0] ?? 0
  const kernel = kernelOver(bytes)
  for (let i = from; i < to; i++) {
    const byte = spans.offsets[i] as number
    const length = spans.lengths[i] as number
    const line = spans.lines[i] as number
    const place = { record: spans.first + i, line: line === 0 ? null : line, byte }
    if (spans.damaged?.index === i) {
      skipped.push({ ...place, code: spans.damaged.code, message: spans.damaged.message })
      continue
    }
    const start = asSmall(byte - base)
    const end = Math.min(asSmall(start + length), bytes.length)
    try {
      const value = parseJson(bytes, start, end, numericKeys)
      if (value === null || typeof value !== 'object' || Array.isArray(value) || ArrayBuffer.isView(value)) {
        skipped.push({
          ...place,
          code: 'not-an-object',
          message: `a record is an object in braces, this is ${kindOf(value)}`,
        })
      } else {
        const { record, line } = place
        // Field by field: Node 20 gives each object that a spread adds fields to a hidden class of its own, so that whoever reads them is slow as well.
        records.push({ record, line, byte, length, hash: hashes?.[i] ?? hashBytes(bytes, start, end, kernel), value })
      }
    } catch (error) {
      if (!(error instanceof JsonError)) throw error
      const at = error.at < end ? `at byte ${error.at - start + 1} of ${length}` : `at its end, after ${length} bytes`
      skipped.push({ ...place, code: 'bad-json', message: `${at}: ${error.message}` })
    }
  }
  return { records, skipped }
}

/** As `parseRecords`, of texts that do not stand in a row. */
export function parseTexts({ bytes, failures, spans }: EncodedTexts, numericKeys: ReadonlySet<string>): ParsedRecords {
  const records: RawRecord[] = []
  const skipped: SkippedRecord[] = []
  for (let i = 0; i < bytes.length; i++) {
    const one: RecordSpans = {
      first: spans.first + i,
      lines: spans.lines.subarray(i, i + 1),
      offsets: spans.offsets.subarray(i, i + 1),
      lengths: spans.lengths.subarray(i, i + 1),
    }
    const failure = failures[i] ?? null
    if (failure !== null) {
      skipped.push({ record: one.first, line: null, byte: one.offsets[0] as number, ...failure })
      continue
    }
    const parsed = parseRecords(bytes[i] as Uint8Array, one, numericKeys)
    records.push(...parsed.records)
    skipped.push(...parsed.skipped)
  }
  return { records, skipped }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return 'a list'
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`
}
