/** GPT-2's alphabet: printable Latin-1 bytes spell themselves, the other 68 the characters from U+0100 on. */
function spellsItself(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff)
}

/** Byte of each character code of the alphabet, -1 for characters outside it. */
export const BYTE_OF_CHARACTER: Int16Array = (() => {
  const bytes = new Int16Array(0x200).fill(-1)
  let next = 0x100
  for (let byte = 0; byte < 256; byte++) bytes[spellsItself(byte) ? byte : next++] = byte
  return bytes
})()

const CHARACTER_OF_BYTE: readonly string[] = (() => {
  const characters: string[] = []
  for (const [code, byte] of BYTE_OF_CHARACTER.entries()) if (byte >= 0) characters[byte] = String.fromCharCode(code)
  return characters
})()

/** The vocabulary entry that spells these bytes in the byte-level alphabet. */
export function spellBytes(bytes: Uint8Array): string {
  let entry = ''
  for (const byte of bytes) entry += CHARACTER_OF_BYTE[byte]
  return entry
}
