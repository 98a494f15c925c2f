/** How the language says that it was led out of a buffer, or asked for one that it cannot make. */
const LANGUAGES =
  /^(?:start )?offset .*(?:out of|outside)|^invalid (?:typed )?array|^invalid (?:string|array buffer) length|^array buffer allocation|^maximum call stack/i

/**
 * What a decoder says of damaged bytes: its own words, and not those of the language, which come where it took something for granted
 * (`Cannot read properties of undefined`).
 */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const isLanguages = error instanceof TypeError || (error instanceof RangeError && LANGUAGES.test(message))
  return isLanguages ? 'its bytes contradict each other' : message
}
