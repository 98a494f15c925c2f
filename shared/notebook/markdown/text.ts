import { joinBytes } from '../../containers/join-bytes.ts'

/**
 * Bytes as text without losing any: what is not UTF-8 becomes single low surrogates (0x80 is U+DC80), which no valid text
 * holds; Python calls this `surrogateescape` (PEP 383). A mark at the beginning stays as U+FEFF.
 */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return escapedText(bytes)
  }
}

function escapedText(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < bytes.length; ) {
    const length = characterLength(bytes, at)
    if (length > 0) {
      at += length
      continue
    }
    if (at > from) parts.push(decoder.decode(bytes.subarray(from, at)))
    parts.push(String.fromCharCode(0xdc00 + (bytes[at] as number)))
    from = ++at
  }
  if (bytes.length > from) parts.push(decoder.decode(bytes.subarray(from)))
  return parts.join('')
}

/** Bytes of the character at `at`; 0 where there is none (Unicode 16, table 3-7). */
function characterLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number
  if (first < 0x80) return 1
  const [second = 0, third = 0, fourth = 0] = bytes.subarray(at + 1, at + 4)
  const goesOn = (byte: number) => byte >= 0x80 && byte <= 0xbf
  if (first >= 0xc2 && first <= 0xdf) return goesOn(second) ? 2 : 0
  if (first >= 0xe0 && first <= 0xef) {
    const least = first === 0xe0 ? 0xa0 : 0x80
    const most = first === 0xed ? 0x9f : 0xbf
    return second >= least && second <= most && goesOn(third) ? 3 : 0
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const least = first === 0xf0 ? 0x90 : 0x80
    const most = first === 0xf4 ? 0x8f : 0xbf
    return second >= least && second <= most && goesOn(third) && goesOn(fourth) ? 4 : 0
  }
  return 0
}

const SINGLE_SURROGATE = /\p{Surrogate}/u

/** The bytes that `textOfBytes` was given. A surrogate that stands for no byte becomes U+FFFD. */
export function bytesOfText(text: string): Uint8Array {
  if (!SINGLE_SURROGATE.test(text)) return new TextEncoder().encode(text)
  const encoder = new TextEncoder()
  const parts: Uint8Array[] = []
  for (const piece of text.split(/([\uDC80-\uDCFF]+)/u)) {
    if (/^[\uDC80-\uDCFF]+$/u.test(piece)) parts.push(Uint8Array.from(piece, (unit) => unit.charCodeAt(0) - 0xdc00))
    else parts.push(encoder.encode(piece))
  }
  return joinBytes(parts)
}

/** As it can be shown: bytes that are no text are replacement characters. */
export function shownText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd')
}

/** How most lines end; `\n` where none does. */
export function lineEnding(text: string): '\n' | '\r\n' {
  const all = text.split('\n').length - 1
  const carried = text.split('\r\n').length - 1
  return carried * 2 > all ? '\r\n' : '\n'
}
