import type { Container, RecordSpans } from '../../containers/container.ts'
import { parseJson } from '../../containers/json.ts'
import { JsonError } from '../../containers/json-error.ts'
import { count } from '../../model/number-text.ts'
import type { SkippedRecord } from '../../model/source.ts'

/** Bytes at the beginning of a file in which the place is looked for: a bound of cost. */
const LOOKED_AT = 1 << 20
const NEWLINE = 0x0a

/** What is wrong with the first record of a file that has no good one: `in line 1, column 2 a key in quotes was expected, found "b"`. */
export async function firstFailure(container: Container, bad: SkippedRecord): Promise<string> {
  const { bytes, text } = (await inText(container, bad)) ?? { bytes: null, text: null }
  const words = sentence(text?.message ?? bad.message)
  if (bytes === null || text === null) {
    const place = bad.line === null ? `at byte ${count(bad.byte)}` : `in line ${count(bad.line)}`
    return `the first, ${place}, fails with: ${words}`
  }
  const { line, column } = placeIn(bytes, text.at)
  const python = bytes[text.at] === 0x27 ? ' (Python prints single quotes: write the record with json.dumps)' : ''
  return `the first fails in line ${count(line)}, column ${count(column)}: ${words}${python}`
}

/** The byte of the file at which a text breaks off, and what is wrong there; null of what is no text, or lies too far behind. */
async function inText(container: Container, bad: SkippedRecord) {
  if (!/^jsonl?(\+|$)/.test(container.id) || bad.byte >= LOOKED_AT) return null
  const read = await container.read(beginning())
  const bytes = read.decoder === 'json' ? read.bytes[0] : undefined
  if (bytes === undefined || bad.byte > bytes.length) return null
  // What stands between the values broke there, and says what was expected.
  const broken = /^at byte \d+ of the file (.*)$/.exec(bad.message)?.[1]
  if (broken !== undefined) return { bytes, text: { at: bad.byte, message: broken } }
  // A value that is no object is whole, and what could not be unpacked is no text: what follows is no part of it.
  if (bad.code !== 'bad-json') return { bytes, text: { at: bad.byte, message: bad.message } }
  const newline = bad.line === null ? -1 : bytes.indexOf(NEWLINE, bad.byte)
  const end = newline < 0 ? bytes.length : newline
  try {
    parseJson(bytes, bad.byte, end)
    return { bytes, text: { at: bad.byte, message: bad.message } }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    // Of a record that is longer than what was looked at nothing is wrong yet.
    if (error.at >= end && end === LOOKED_AT) return null
    return { bytes, text: error }
  }
}

function beginning(): RecordSpans {
  return {
    first: 0,
    lines: new Float64Array(1),
    offsets: new Float64Array(1),
    lengths: new Float64Array([LOOKED_AT]),
  }
}

/** Both from 1, columns in characters. */
function placeIn(bytes: Uint8Array, at: number): { line: number; column: number } {
  let line = 1
  let start = 0
  for (let i = bytes.indexOf(NEWLINE); i >= 0 && i < at; i = bytes.indexOf(NEWLINE, i + 1)) {
    line++
    start = i + 1
  }
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, at))
  return { line, column: before.replace(/^\ufeff/, '').length + 1 }
}

/** As part of a longer one. */
function sentence(message: string): string {
  return message.replace(/\.$/, '')
}
