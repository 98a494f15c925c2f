/**
 * Text as two renderings of the same words share it: letters and digits, one blank between words. Templates quote replies as JSON,
 * re-indent them and change white space; none of that is a difference in what the model could read.
 */
export function normalised(text: string): string {
  return normalisedLatin(text) ?? normalisedAny(text)
}

/** Any text; what the quicker way below must equal. */
export function normalisedAny(text: string): string {
  return text
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrtbf]/g, ' ')
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Below it no character combines with another, so that NFC leaves such a text alone. */
const LATIN = 0x300
const BACKSLASH = 0x5c
const SMALL_U = 0x75
const BLANK = 0x20

const isWord = Uint8Array.from({ length: LATIN }, (_, unit) =>
  /[\p{L}\p{N}]/u.test(String.fromCharCode(unit)) ? 1 : 0,
)
const isEscape = Uint8Array.from({ length: LATIN }, (_, unit) => ('nrtbf'.includes(String.fromCharCode(unit)) ? 1 : 0))

const decoder = new TextDecoder('utf-16le')
let units = new Uint16Array(1 << 12)

/** Null where the text has other characters than Latin ones, or escapes of characters. */
function normalisedLatin(text: string): string | null {
  const { length } = text
  if (units.length < length) units = new Uint16Array(length)
  let at = 0
  let gap = false
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= LATIN) return null
    if (isWord[unit] === 1) {
      if (gap && at > 0) units[at++] = BLANK
      gap = false
      units[at++] = unit
      continue
    }
    gap = true
    if (unit !== BACKSLASH || i + 1 === length) continue
    const next = text.charCodeAt(i + 1)
    if (next === SMALL_U) return null
    if (isEscape[next] === 1) i++
  }
  return decoder.decode(units.subarray(0, at))
}
