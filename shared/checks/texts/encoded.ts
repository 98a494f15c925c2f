import type { Tokenizer } from '../../tokens/tokenizer.ts'
import { TokenizerError } from '../../tokens/tokenizer-error.ts'

/** Characters of the longest text that is worth the time: a text of one repeated character takes long to encode. */
const LONGEST = 1 << 18

/** Ids of a text of the dump; null where it is too long, or where the tokenizer can show ids but not encode. */
export function encoded(
  tokenizer: Tokenizer,
  text: string,
  options?: Parameters<Tokenizer['encode']>[1],
): readonly number[] | null {
  if (text.length > LONGEST) return null
  try {
    return tokenizer.encode(text, options)
  } catch (error) {
    if (error instanceof TokenizerError) return null
    throw error
  }
}
