/** What a character is to the patterns that cut texts into pieces. */
export const CharacterClass = { letter: 1, number: 2, lineBreak: 3, space: 4, other: 5 } as const

const UNKNOWN = 0
const CODE_POINTS = 0x110000

const LETTER = /^\p{L}$/u
const NUMBER = /^\p{N}$/u
const SPACE = /^\p{White_Space}$/u

/** `CharacterClass` of each code point that was asked for, by this engine's own Unicode tables, which its patterns go by too. */
const classes = new Uint8Array(CODE_POINTS)
for (let code = 0; code < 0x80; code++) classes[code] = classify(code)

/** The classes of the first 128 code points, each a byte of UTF-8. */
export const ASCII_CLASSES: Uint8Array = classes.slice(0, 0x80)

export function classOf(codePoint: number): number {
  const known = classes[codePoint] as number
  return known === UNKNOWN ? (classes[codePoint] = classify(codePoint)) : known
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint)
  if (character === '\n' || character === '\r') return CharacterClass.lineBreak
  if (LETTER.test(character)) return CharacterClass.letter
  if (NUMBER.test(character)) return CharacterClass.number
  return SPACE.test(character) ? CharacterClass.space : CharacterClass.other
}
