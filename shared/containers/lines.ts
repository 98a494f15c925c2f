import { type ChunkOptions, type ContainerBytes, DamagedBytes } from './bytes.ts'
import type { ReadPosition, RecordSpans } from './container.ts'
import { type BatchSizes, SpansBuilder } from './spans.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
const BOM = [0xef, 0xbb, 0xbf]

/**
 * Finds the records of JSONL: one on every line that is not blank. LF and CRLF, byte order marks at the start of a line
 * (files that were joined have several), a last line without an end.
 */
export async function* indexLines(
  bytes: Pick<ContainerBytes, 'chunks'>,
  sizes: BatchSizes,
  options: ChunkOptions,
  from: ReadPosition = { byte: 0, record: 0, line: 1 },
): AsyncGenerator<RecordSpans, void, undefined> {
  const builder = new SpansBuilder(sizes, from.record)
  /** Offset of the chunk in the container. */
  let base = from.byte
  let line = from.line
  /** Offset of the line's first byte that is neither white space nor part of a byte order mark, -1 before it is seen. */
  let content = -1
  let marks = 0
  let lastByte = 0
  try {
    for await (const chunk of bytes.chunks({ ...options, from: from.byte })) {
      let pos = 0
      while (pos < chunk.length) {
        while (content < 0 && pos < chunk.length) {
          const byte = chunk[pos] as number
          if (byte === NEWLINE) {
            line++
            marks = 0
          } else if (byte === BOM[marks]) marks++
          else if (byte !== 0x20 && byte !== 0x09 && byte !== RETURN) {
            content = base + pos
            break
          }
          pos++
        }
        if (content < 0) break
        const newline = chunk.indexOf(NEWLINE, pos)
        if (newline < 0) break
        const before = newline > 0 ? (chunk[newline - 1] as number) : lastByte
        const end = base + newline - (before === RETURN ? 1 : 0)
        const full = builder.add(content, end - content, line)
        if (full !== null) yield full
        content = -1
        marks = 0
        line++
        pos = newline + 1
      }
      base += chunk.length
      lastByte = chunk.at(-1) ?? lastByte
    }
  } catch (error) {
    if (!(error instanceof DamagedBytes)) throw error
    // A whole last record may have come out without its newline; a piece of one cannot be read in any case.
    if (content >= 0 && lastByte === 0x7d) {
      const full = builder.add(content, base - content, line++)
      if (full !== null) yield full
      content = base
    }
    yield builder.damage(content < 0 ? base : content, line, error.code, error.message)
    return
  }
  if (content >= 0) {
    const full = builder.add(content, base - content - (lastByte === RETURN ? 1 : 0), line)
    if (full !== null) yield full
  }
  const rest = builder.finish()
  if (rest !== null) yield rest
}
