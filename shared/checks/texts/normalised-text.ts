/**
 * Text as two renderings of the same words share it: letters and digits, one blank between words. Templates quote replies as JSON,
 * re-indent them and change white space; none of that is a difference in what the model could read.
 */
export function normalised(text: string): string {
  return normalisedAscii(text) ?? normalisedWords(unescaped(text).normalize('NFC'))
}

/** Any text; what the quicker ways below must equal. */
export function normalisedAny(text: string): string {
  return unescaped(text)
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  return text
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrtbf]/g, ' ')
}

/** No character below it combines with the one before. */
export const COMBINING = 0x300
const BACKSLASH = 0x5c
const SMALL_U = 0x75
const BLANK = 0x20
/** Characters that are longer than this many are not worth the memory that is kept for them. */
const KEPT = 1 << 20

const encoder = new TextEncoder()
const decoder = new TextDecoder()
let kept = new Uint8Array(1 << 12)

/** At least so many bytes, of whatever was there before. */
function scratch(size: number): Uint8Array<ArrayBuffer> {
  if (kept.length >= size) return kept
  const larger = new Uint8Array(size)
  if (size <= KEPT) kept = larger
  return larger
}

const isWord = Uint8Array.from({ length: 128 }, (_, unit) => (/[A-Za-z0-9]/.test(String.fromCharCode(unit)) ? 1 : 0))
const spelt = isWord.map((word, unit) => (word === 1 ? unit : BLANK))
const isEscape = Uint8Array.from({ length: 128 }, (_, unit) => ('nrtbf'.includes(String.fromCharCode(unit)) ? 1 : 0))

/** Null where the text has other characters than those of ASCII, or escapes of characters. */
function normalisedAscii(text: string): string | null {
  const { length } = text
  const bytes = scratch(length)
  const { read, written } = encoder.encodeInto(text, bytes)
  // Another character takes more bytes than one.
  if (written !== length || read !== length) return null
  let at = 0
  /** 1 after a letter or digit. */
  let before = 0
  // Words move forward over what lies between them. Where one ends cannot be foreseen: a branch there costs more than all the rest.
  for (let i = 0; i < length; i++) {
    const byte = bytes[i] as number
    if (byte === BACKSLASH && i + 1 < length) {
      const next = bytes[i + 1] as number
      if (next === SMALL_U) return null
      if (isEscape[next] === 1) i++
    }
    const word = isWord[byte] as number
    bytes[at] = spelt[byte] as number
    at += word | before
    before = word
  }
  return decoder.decode(bytes.subarray(0, before === 1 || at === 0 ? at : at - 1))
}

/** Code points of one block: 1 where they are letters or digits. */
const BLOCK = 256
const blocks: (Uint8Array | undefined)[] = []

function blockOf(point: number): Uint8Array {
  const index = Math.floor(point / BLOCK)
  const known = blocks[index]
  if (known !== undefined) return known
  const made = Uint8Array.from({ length: BLOCK }, (_, at) =>
    /[\p{L}\p{N}]/u.test(String.fromCodePoint(index * BLOCK + at)) ? 1 : 0,
  )
  blocks[index] = made
  return made
}

/** Words of a text in NFC, without escapes. */
function normalisedWords(text: string): string {
  const { length } = text
  // No unit of UTF-16 takes more than three bytes.
  const bytes = scratch(length * 3)
  let at = 0
  let gap = false
  let base = 0
  let block = blockOf(0)
  for (let i = 0; i < length; i++) {
    let point = text.charCodeAt(i)
    if (point >= 0xd800 && point < 0xdc00) {
      const low = text.charCodeAt(i + 1)
      if (low >= 0xdc00 && low < 0xe000) {
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00)
        i++
      }
    }
    if (point < base || point >= base + BLOCK) {
      base = point - (point % BLOCK)
      block = blockOf(point)
    }
    if (block[point - base] === 0) {
      gap = true
      continue
    }
    if (gap && at > 0) bytes[at++] = BLANK
    gap = false
    if (point < 0x80) bytes[at++] = point
    else {
      if (point < 0x800) bytes[at++] = 0xc0 | (point >> 6)
      else {
        if (point < 0x10000) bytes[at++] = 0xe0 | (point >> 12)
        else {
          bytes[at++] = 0xf0 | (point >> 18)
          bytes[at++] = 0x80 | ((point >> 12) & 0x3f)
        }
        bytes[at++] = 0x80 | ((point >> 6) & 0x3f)
      }
      bytes[at++] = 0x80 | (point & 0x3f)
    }
  }
  return decoder.decode(bytes.subarray(0, at))
}
