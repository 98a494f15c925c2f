import { TokenFlag } from '../model/tokens.ts'
import { TokenKind, type TokenTable } from './tokenizer.ts'

export interface TokenTexts {
  readonly text: string
  /** Length S + 1: token i is `text.slice(textOffsets[i], textOffsets[i + 1])`. */
  readonly textOffsets: Uint32Array
  /** One byte per token, see `TokenFlag`. */
  readonly flags: Uint8Array
}

const REPLACEMENT = 0xfffd

function unknownText(id: number): string {
  return `⟨id ${id}?⟩`
}

function isKnown(table: TokenTable, id: number): boolean {
  return id >= 0 && id < table.size && table.kinds[id] !== TokenKind.none
}

/**
 * Bytes before each token, as a running sum (length S + 1): token i is at `[spans[i], spans[i + 1])` of the
 * sequence's bytes. An id that the table does not have counts no bytes.
 */
export function byteSpans(table: TokenTable, ids: Int32Array): Uint32Array {
  const { offsets, size } = table
  const spans = new Uint32Array(ids.length + 1)
  let at = 0
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number
    if (id >= 0 && id < size) at += (offsets[id + 1] as number) - (offsets[id] as number)
    spans[i + 1] = at
  }
  return spans
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes that are copied at once: most tokens have no more. */
const WORD = 8

/** The bytes of a vocabulary, with room behind them to read a word from any place. */
const readable = new WeakMap<TokenTable, DataView>()

function readableBytes(table: TokenTable): DataView {
  let view = readable.get(table)
  if (view === undefined) {
    const padded = new Uint8Array(table.bytes.length + WORD)
    padded.set(table.bytes)
    view = new DataView(padded.buffer)
    readable.set(table, view)
  }
  return view
}

/** Bytes of the span that is being decoded. A buffer for a longer span than this is let go again. */
const KEPT_BYTES = 1 << 20
let kept = new DataView(new ArrayBuffer(1 << 14))

/** The text of tokens `start` (inclusive) to `end` (exclusive); partial characters read U+FFFD, unknown ids `⟨id 12345?⟩`. */
export function decodeSpan(table: TokenTable, ids: Int32Array, start = 0, end = ids.length): string {
  const { offsets } = table
  const source = readableBytes(table)
  const first = Math.max(0, start)
  const last = Math.min(end, ids.length)
  if (last - first === 1) return tokenText(table, ids[first] as number)
  let spelt = kept
  let room = spelt.byteLength - WORD
  let at = 0
  for (let i = first; i < last; i++) {
    const id = ids[i] as number
    const from = offsets[id] as number
    const to = offsets[id + 1] as number
    // Also where an index was outside of the table.
    if (!(to > from)) {
      if (!isKnown(table, id)) return tokenTexts(table, ids.subarray(first, last)).text
      continue
    }
    if (at + to - from > room) {
      spelt = larger(spelt, at, at + to - from)
      room = spelt.byteLength - WORD
    }
    for (let byte = from; byte < to; byte += WORD) {
      spelt.setUint32(at + byte - from, source.getUint32(byte))
      spelt.setUint32(at + byte - from + 4, source.getUint32(byte + 4))
    }
    at += to - from
  }
  if (spelt.byteLength <= KEPT_BYTES) kept = spelt
  return decoder.decode(new Uint8Array(spelt.buffer, 0, at))
}

/** Texts of single tokens that were asked for: of a vocabulary the few that name roles, most of the time. */
const single = new WeakMap<TokenTable, Map<number, string>>()

/** The text of one token by itself. */
function tokenText(table: TokenTable, id: number): string {
  if (!isKnown(table, id)) return unknownText(id)
  let texts = single.get(table)
  if (texts === undefined) {
    texts = new Map()
    single.set(table, texts)
  }
  let text = texts.get(id)
  if (text === undefined) {
    text = decoder.decode(table.bytes.subarray(table.offsets[id], table.offsets[id + 1]))
    texts.set(id, text)
  }
  return text
}

function larger(spelt: DataView, used: number, needed: number): DataView<ArrayBuffer> {
  const bytes = new Uint8Array(Math.max(needed, spelt.byteLength) * 2 + WORD)
  bytes.set(new Uint8Array(spelt.buffer, 0, used))
  return new DataView(bytes.buffer)
}

/**
 * The decoded sequence with the place of every token in it. A character that is spelt by several tokens stands at the
 * first of them and the others are empty; bytes that are no UTF-8 read U+FFFD at the token where the attempt began,
 * as many as `TextDecoder` gives.
 */
export function tokenTexts(table: TokenTable, ids: Int32Array): TokenTexts {
  const { bytes, offsets, kinds } = table
  const output = new CodeUnits(ids.length * 4)
  const textOffsets = new Uint32Array(ids.length + 1)
  const flags = new Uint8Array(ids.length)
  // The character under way: bytes still needed, its bits so far, the range its next byte must lie in.
  let needed = 0
  let point = 0
  let lower = 0x80
  let upper = 0xbf
  /** First token boundary inside the character under way. */
  let boundary = -1
  const settle = (token: number) => {
    if (boundary >= 0) for (let i = boundary; i <= token; i++) textOffsets[i] = output.length
    boundary = -1
  }

  for (let i = 0; i < ids.length; i++) {
    const id = ids[i] as number
    if (needed === 0) textOffsets[i] = output.length
    else if (boundary < 0) boundary = i
    if (!isKnown(table, id)) {
      if (needed > 0) output.push(REPLACEMENT)
      needed = 0
      lower = 0x80
      upper = 0xbf
      settle(i)
      output.pushText(unknownText(id))
      flags[i] = TokenFlag.unknown
      continue
    }
    const kind = kinds[id] as number
    let flag = kind === TokenKind.special ? TokenFlag.special : kind === TokenKind.added ? TokenFlag.added : 0
    const from = offsets[id] as number
    const to = offsets[id + 1] as number
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number
      if (needed > 0) {
        if (byte >= lower && byte <= upper) {
          if (at === from) flag |= TokenFlag.startsInsideCharacter
          lower = 0x80
          upper = 0xbf
          point = (point << 6) | (byte & 0x3f)
          if (--needed === 0) {
            output.pushPoint(point)
            settle(i)
          }
          continue
        }
        needed = 0
        lower = 0x80
        upper = 0xbf
        output.push(REPLACEMENT)
        settle(i)
      }
      if (byte < 0x80) output.push(byte)
      else if (byte >= 0xc2 && byte <= 0xdf) {
        needed = 1
        point = byte & 0x1f
      } else if (byte >= 0xe0 && byte <= 0xef) {
        needed = 2
        point = byte & 0xf
        if (byte === 0xe0) lower = 0xa0
        else if (byte === 0xed) upper = 0x9f
      } else if (byte >= 0xf0 && byte <= 0xf4) {
        needed = 3
        point = byte & 0x7
        if (byte === 0xf0) lower = 0x90
        else if (byte === 0xf4) upper = 0x8f
      } else output.push(REPLACEMENT)
    }
    if (from === to) flag |= TokenFlag.silent
    if (needed > 0) flag |= TokenFlag.endsInsideCharacter
    flags[i] = flag
  }
  if (needed > 0) output.push(REPLACEMENT)
  settle(ids.length)
  textOffsets[ids.length] = output.length
  return { text: output.toString(), textOffsets, flags }
}

/** A growing UTF-16 text. */
class CodeUnits {
  length = 0
  private units: Uint16Array<ArrayBuffer>

  constructor(capacity: number) {
    this.units = new Uint16Array(Math.max(capacity, 64))
  }

  push(unit: number): void {
    if (this.length === this.units.length) {
      const larger = new Uint16Array(this.units.length * 2)
      larger.set(this.units)
      this.units = larger
    }
    this.units[this.length++] = unit
  }

  pushPoint(point: number): void {
    if (point < 0x10000) {
      this.push(point)
      return
    }
    this.push(0xd800 + ((point - 0x10000) >> 10))
    this.push(0xdc00 + ((point - 0x10000) & 0x3ff))
  }

  pushText(text: string): void {
    for (let i = 0; i < text.length; i++) this.push(text.charCodeAt(i))
  }

  toString(): string {
    // Chunks below the engines' limit on the number of arguments.
    let text = ''
    for (let at = 0; at < this.length; at += 8192) {
      // Spread, the units would be arguments one by one, which takes eight times as long.
      text += Reflect.apply(String.fromCharCode, null, this.units.subarray(at, Math.min(at + 8192, this.length)))
    }
    return text
  }
}
