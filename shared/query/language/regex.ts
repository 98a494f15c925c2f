import { RE2JS, RE2JSException } from 're2js'

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
}

const MOST_CHARACTERS = 500
/** Steps that one character of a text may take at most, each some 20 ns: 300 kB are looked through in seconds, whatever is asked. */
const MOST_STEPS = 1000

/**
 * A regular expression that takes time in proportion to the text, whatever a person wrote (RE2's syntax: no look-around, no back
 * references). Throws an error with a sentence for an expression that cannot be read.
 */
export function compileRegex(source: string, flags: string): RE2JS {
  let bits = 0
  for (const flag of flags) {
    const bit = FLAGS[flag]
    if (bit === undefined) throw new Error(`\`${flag}\` is no flag of a regular expression here; there are i, m and s.`)
    bits |= bit
  }
  if (source.length > MOST_CHARACTERS)
    throw new Error(`A regular expression has at most ${MOST_CHARACTERS} characters; this one has ${source.length}.`)
  if (source === '') throw new Error('The regular expression is empty.')
  try {
    const regex = RE2JS.compile(source, bits)
    if (regex.programSize() > MOST_STEPS)
      throw new Error(
        'The regular expression is too large: what it repeats, it repeats too often. Write smaller counts.',
      )
    if (regex.matches('')) throw new Error('The regular expression fits an empty text, which is found everywhere.')
    return regex
  } catch (error) {
    if (error instanceof RE2JSException) throw new Error(regexSentence(error.message))
    throw error
  }
}

/** The library's words without its preamble, and why some of them come up. */
function regexSentence(message: string): string {
  const said = message.replace(/^error parsing regexp: /, '')
  const isPerl = /invalid or unsupported Perl syntax|invalid escape sequence: `\\[1-9]/.test(said)
  return `The regular expression cannot be read: ${said}.${isPerl ? ' Look-around and back references are left out, so that no expression can take forever.' : ''}`
}
