/** What is in the head of a file that is no JSON: a code and the end of a sentence whose subject is the file's name. */
interface Foreign {
  readonly code: string
  readonly message: string
}

const EXPORT = 'Write the rollouts as JSONL (one object on each line), or convert it'

/** A container that is not text, by the signature that its files begin with. */
export type BinaryKind = 'parquet' | 'arrow' | 'pickle' | 'zip'

export function binaryKind(head: Uint8Array): BinaryKind | null {
  if (begins(head, [0x50, 0x41, 0x52, 0x31])) return 'parquet'
  if (begins(head, [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31])) return 'arrow'
  if (begins(head, [0x50, 0x4b, 3, 4]) || begins(head, [0x50, 0x4b, 5, 6])) return 'zip'
  if (head[0] === 0x80 && (head[1] as number) >= 2 && (head[1] as number) <= 5) return 'pickle'
  // A stream has no magic: it begins with a mark and the length of the schema's message, which is padded to 8 bytes.
  return begins(head, [0xff, 0xff, 0xff, 0xff]) && head.length > 8 && (head[4] as number) % 8 === 0 ? 'arrow' : null
}

type Beside = { readonly what: string } & (
  | { readonly text: string; readonly bytes?: undefined }
  | { readonly text?: undefined; readonly bytes: readonly number[] }
)

/** What lies in the folder of a run beside its rollouts, by what it begins with. */
const BESIDE: readonly Beside[] = [
  { what: 'a PNG image', bytes: [0x89, 0x50, 0x4e, 0x47] },
  { what: 'a JPEG image', bytes: [0xff, 0xd8, 0xff] },
  { what: 'a GIF image', text: 'GIF8' },
  { what: 'an image, sound or video (RIFF)', text: 'RIFF' },
  { what: 'a PDF', text: '%PDF-' },
  { what: 'the weights of a model (GGUF)', text: 'GGUF' },
  { what: 'an HDF5 file', bytes: [0x89, 0x48, 0x44, 0x46] },
  { what: 'an SQLite database', text: 'SQLite format 3\0' },
  // wandb/sdk/internal/datastore.py: LEVELDBLOG_HEADER_IDENT
  { what: 'the binary log of a W&B run (its exported history is read as JSON or CSV)', text: ':W&B' },
  { what: 'a program', bytes: [0x7f, 0x45, 0x4c, 0x46] },
]

const SAFETENSORS: Foreign = {
  code: 'no-rollouts',
  message: 'is the weights of a model (safetensors): no rollouts, and nothing was read of it.',
}

/** The length of its header, 8 bytes, and the header, an object of JSON whose values are objects. */
function isSafetensors(head: Uint8Array): boolean {
  if (head.length < 10 || head[8] !== OPEN_BRACE || head[9] !== 0x22) return false
  return head[5] === 0 && head[6] === 0 && head[7] === 0
}

const SIGNATURES: readonly (Foreign & { readonly bytes: readonly number[] })[] = [
  {
    code: 'xz',
    bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a],
    message: 'is compressed with xz, which this version does not read. Decompress it first (xz -d), or use gzip.',
  },
  {
    code: 'bzip2',
    bytes: [0x42, 0x5a, 0x68],
    message: 'is compressed with bzip2, which this version does not read. Decompress it first (bzip2 -d), or use gzip.',
  },
  {
    code: 'packed-too-often',
    bytes: [0x1f, 0x8b],
    message: 'is compressed more than twice. Decompress it (gzip -d), then open it.',
  },
  {
    code: 'encrypted-parquet',
    bytes: [0x50, 0x41, 0x52, 0x45],
    message: 'is an encrypted Parquet file. Write it without encryption.',
  },
  { code: 'utf-16', bytes: [0xff, 0xfe], message: 'is text in UTF-16. Save it as UTF-8, then open it.' },
  { code: 'utf-16', bytes: [0xfe, 0xff], message: 'is text in UTF-16. Save it as UTF-8, then open it.' },
  ...BESIDE.map(({ what, text, bytes }) => ({
    code: 'no-rollouts',
    bytes: text === undefined ? bytes : [...new TextEncoder().encode(text)],
    message: `is ${what}: no rollouts, and nothing was read of it.`,
  })),
]

export const BINARY: Foreign = {
  code: 'binary',
  message: `is a binary file of a kind that this version does not know. ${EXPORT}, or choose another file.`,
}

/** Recognises the signature of a file that is no JSON in UTF-8, null where there is none. */
export function foreignKind(head: Uint8Array): Foreign | null {
  for (const signature of SIGNATURES) {
    if (begins(head, signature.bytes)) return signature
  }
  return isSafetensors(head) ? SAFETENSORS : null
}

function begins(head: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, i) => head[i] === byte)
}

/** Bytes that no text has. Ask only where no line looks like JSON: zeroed blocks inside a dump cost single records. */
export function looksBinary(head: Uint8Array): boolean {
  let control = 0
  const length = Math.min(head.length, 4096)
  for (let i = 0; i < length; i++) {
    const byte = head[i] as number
    if (byte === 0) return true
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09 && byte !== 0x0c && byte !== 0x1b) control++
  }
  return control > length / 20
}

/** How JSON text is laid out: one record a line, or values of any layout. */
export type TextShape = 'lines' | 'values' | 'blank' | 'not-json'

const NEWLINE = 0x0a
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const CLOSE_BRACE = 0x7d
/** Behind these a value goes on in the next line: `,`, `:`, `[`, `{`. */
const SEPARATORS: readonly number[] = [0x2c, 0x3a, OPEN_BRACKET, OPEN_BRACE]

/** Decides from the head of a text; `whole` where there is no more of it. */
export function textShape(head: Uint8Array, whole: boolean): TextShape {
  const lines = firstLines(head)
  const [first] = lines
  if (first === undefined) return whole ? 'blank' : 'not-json'
  const begin = head[first.start]
  if (begin === OPEN_BRACKET) {
    // One damaged byte can make a list of the first line; an array would not be over before the next line's object.
    const over = lineState(head, first.start, first.end).depth === 0 && first.end < head.length
    if (over && lines[1] !== undefined && beginsObject(head, lines[1])) return 'lines'
    return isBrokenList(head, lines) ? 'lines' : 'values'
  }
  // A first line that was cut at its left end must not cost the lines after it.
  if (begin !== OPEN_BRACE) return lines.some((line) => beginsObject(head, line)) ? 'lines' : 'not-json'
  const { depth, inString } = lineState(head, first.start, first.end)
  if (depth <= 0 || inString || first.end === head.length) return 'lines'
  // The first line leaves braces open: a pretty-printed object, unless a whole object stands on the next line.
  const second = lines[1]
  if (second === undefined || second.indented || head[second.start] !== OPEN_BRACE) return 'values'
  return second.end === head.length || lineState(head, second.start, second.end).depth === 0 ? 'lines' : 'values'
}

/**
 * Whether lines that begin with a bracket cannot be those of an array: the second is an object of its own, and no comma stands
 * where an array needs one.
 */
function isBrokenList(head: Uint8Array, [first, second, third]: readonly Line[]): boolean {
  if (first === undefined || second === undefined || !beginsObject(head, second)) return false
  const isCut = second.end === head.length
  const isWhole = lineState(head, second.start, second.end).depth === 0 && lastByte(head, second) === CLOSE_BRACE
  if (third !== undefined) return isWhole && beginsObject(head, third)
  return (isCut || isWhole) && !SEPARATORS.includes(lastByte(head, first))
}

/** The last byte that is no white space. */
function lastByte(head: Uint8Array, { start, end }: Line): number {
  let last = end - 1
  while (last > start && (head[last] as number) <= 0x20) last--
  return head[last] as number
}

interface Line {
  /** First byte that is not white space. */
  readonly start: number
  readonly end: number
  readonly indented: boolean
}

function beginsObject(head: Uint8Array, { start, end }: Line): boolean {
  if (head[start] !== OPEN_BRACE) return false
  let next = start + 1
  while (next < end && head[next] === 0x20) next++
  return head[next] === 0x22 || head[next] === 0x7d
}

/** The first lines that are not blank, 64 at most. */
function firstLines(head: Uint8Array): Line[] {
  const lines: Line[] = []
  let pos = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0
  while (pos < head.length && lines.length < 64) {
    const newline = head.indexOf(NEWLINE, pos)
    const end = newline < 0 ? head.length : newline
    let start = pos
    while (start < end && (head[start] as number) <= 0x20) start++
    if (start < end) lines.push({ start, end, indented: start > pos })
    pos = end + 1
  }
  return lines
}

function lineState(head: Uint8Array, start: number, end: number): { depth: number; inString: boolean } {
  let depth = 0
  let inString = false
  for (let pos = start; pos < end; pos++) {
    const byte = head[pos] as number
    if (inString) {
      if (byte === 0x5c) pos++
      else if (byte === 0x22) inString = false
    } else if (byte === 0x22) inString = true
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return { depth, inString }
}
