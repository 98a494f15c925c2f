import type { PieceEncoder } from './piece-encoder.ts'
import type { WordScanner } from './word-scanner.ts'

/** Appends the ids of a text, cut into pieces. */
export type Cutter = (text: string, to: number[]) => void

const utf8 = new TextEncoder()
const UTF8_PER_UNIT = 3
/** UTF-16 code units of the longest text whose bytes are written where those of others were. */
const ROOM = 1 << 12

/** Cuts as the scanner does. */
export function scanningCutter(scanner: WordScanner, encoder: PieceEncoder): Cutter {
  const room = new Uint8Array(ROOM * UTF8_PER_UNIT)
  return (text, to) => {
    const long = text.length > ROOM ? utf8.encode(text) : null
    const bytes = long ?? room
    const end = long?.length ?? utf8.encodeInto(text, room).written
    scanner.read(bytes, end)
    encoder.read(bytes)
    for (let at = 0; at < end; ) {
      const next = scanner.pieceEnd(at)
      encoder.append(at, next, to)
      at = next
    }
  }
}

/** Cuts into the matches of a pattern, which is global, and what lies between them. */
export function patternCutter(pattern: RegExp, encoder: PieceEncoder): Cutter {
  const room = new Uint8Array(ROOM * UTF8_PER_UNIT)
  return (text, to) => {
    for (const piece of pieces(text, pattern)) {
      const long = piece.length > ROOM ? utf8.encode(piece) : null
      encoder.read(long ?? room)
      encoder.append(0, long?.length ?? write(piece, room), to)
    }
  }
}

/** Writes a short piece as UTF-8 and returns its length: most are a few letters, not worth a call of the encoder. */
function write(piece: string, to: Uint8Array): number {
  for (let i = 0; i < piece.length; i++) {
    const unit = piece.charCodeAt(i)
    if (unit >= 0x80) return utf8.encodeInto(piece, to).written
    to[i] = unit
  }
  return piece.length
}

function pieces(text: string, pattern: RegExp): readonly string[] {
  const matches = text.match(pattern) ?? []
  let covered = 0
  for (const match of matches) covered += match.length
  // The patterns of nearly all models leave nothing between their matches.
  return covered === text.length ? matches : piecesWithGaps(text, pattern)
}

function piecesWithGaps(text: string, pattern: RegExp): string[] {
  const found: string[] = []
  let at = 0
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) found.push(text.slice(at, match.index))
    if (match[0] !== '') found.push(match[0])
    at = match.index + match[0].length
  }
  if (at < text.length) found.push(text.slice(at))
  return found
}
