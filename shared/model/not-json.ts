const KINDS: readonly (readonly [begins: string, is: string])[] = [
  ['\x1f\ufffd', 'it is compressed with gzip: give the JSON itself'],
  ['(\ufffd/\ufffd', 'it is compressed with zstd: give the JSON itself'],
  ['BZh', 'it is compressed with bzip2: give the JSON itself'],
  ['\ufffd7zXZ', 'it is compressed with xz: give the JSON itself'],
  ['PK\x03\x04', 'it is a zip archive: give the JSON in it'],
  ['\ufffd\ufffd', 'it is no UTF-8: save it as UTF-8'],
  ['PAR1', 'it is a Parquet file'],
]
/** Characters by which a binary file shows. */
const LOOKED_AT = 512

/**
 * Why a file that was to be JSON is none, without quoting what nobody can read.
 *
 * @param text its bytes as UTF-8, where U+FFFD stands for those that are none
 * @param error what `JSON.parse` threw of it
 */
export function whyNotJson(text: string, error: unknown): string {
  if (text === '') return 'it is empty'
  const kind = KINDS.find(([begins]) => text.startsWith(begins))
  if (kind !== undefined) return kind[1]
  // U+FFFD is none of them: a note on half a letter holds it, in a text that is sound.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a text does not hold
  if (/[\0-\x08\x0e-\x1f]/.test(text.slice(0, LOOKED_AT))) return 'it is a binary file'
  // The engine quotes the text with its line breaks, and a sentence of ours has none.
  return (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ')
}
