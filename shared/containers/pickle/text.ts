import { PickleError } from './error.ts'

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** UTF-8 as Python pickles it, in which half a surrogate pair may stand alone (`surrogatepass`). */
export function decodeText(bytes: Uint8Array, at: number): string {
  if (bytes.length < 24) {
    const short = asciiOrNull(bytes)
    if (short !== null) return short
  }
  try {
    return strict.decode(bytes)
  } catch {
    return decodeWithSurrogates(bytes, at)
  }
}

/** The text of plain ASCII bytes, null when there are others. */
export function asciiOrNull(bytes: Uint8Array): string | null {
  if (bytes.length >= 24) {
    for (const byte of bytes) if (byte >= 0x80) return null
    return strict.decode(bytes)
  }
  let text = ''
  for (const byte of bytes) {
    if (byte >= 0x80) return null
    text += String.fromCharCode(byte)
  }
  return text
}

function decodeWithSurrogates(bytes: Uint8Array, at: number): string {
  let text = ''
  let plain = 0
  const flush = (end: number) => {
    try {
      text += strict.decode(bytes.subarray(plain, end))
    } catch {
      throw new PickleError('bad-pickle', at, 'a text is not in UTF-8')
    }
  }
  for (let i = 0; i + 2 < bytes.length; i++) {
    const second = bytes[i + 1] as number
    if (bytes[i] !== 0xed || second < 0xa0 || second > 0xbf || ((bytes[i + 2] as number) & 0xc0) !== 0x80) continue
    flush(i)
    text += String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | ((bytes[i + 2] as number) & 0x3f))
    plain = i + 3
    i += 2
  }
  flush(bytes.length)
  return text
}

/** One character per byte. */
export function decodeLatin1(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096))
  return text
}

/** The bytes of a text of characters below 256, null when there are others. */
export function encodeLatin1(text: string): Uint8Array | null {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 255) return null
    bytes[i] = code
  }
  return bytes
}

/** Python's `raw-unicode-escape`: bytes are characters, but for `\uXXXX` and `\UXXXXXXXX`. */
export function decodeRawUnicode(bytes: Uint8Array, at: number): string {
  // A backslash takes the character behind it along, so that two of them are no escape.
  return decodeLatin1(bytes).replace(/\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|[\s\S])/g, (all, short, long) => {
    if (short === undefined && long === undefined) return all
    const code = Number.parseInt(short ?? long, 16)
    if (code > 0x10ffff) throw new PickleError('bad-pickle', at, `\\U${long} is no character`)
    return code > 0xffff ? String.fromCodePoint(code) : String.fromCharCode(code)
  })
}

/** What a Python 2 `repr` of a byte string stands for: quotes and escapes. */
export function decodeQuoted(bytes: Uint8Array, at: number): Uint8Array {
  const text = decodeLatin1(bytes).trim()
  const quote = text[0]
  if (text.length < 2 || (quote !== '"' && quote !== "'") || text[text.length - 1] !== quote) {
    throw new PickleError('bad-pickle', at, 'a text of protocol 0 must stand in quotes')
  }
  const plain = text.slice(1, -1).replace(/\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|[\s\S])/g, (all, code: string) => {
    if (code[0] === 'x' && code.length === 3) return String.fromCharCode(Number.parseInt(code.slice(1), 16))
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff)
    return ESCAPES[code] ?? all
  })
  return encodeLatin1(plain) as Uint8Array
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}
