import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers'
import { byteLevelEncoder } from './bpe/byte-level-encoder.ts'
import { readEncoding } from './bpe/read-encoding.ts'
import { literalPattern } from './literals.ts'
import type { TokenizerFiles } from './tokenizer.ts'
import { TokenizerError } from './tokenizer-error.ts'
import { type AddedToken, isFields, type Vocabulary } from './vocabulary.ts'

export type Encoder = (text: string, specials: boolean) => number[]

/** Ids as the library gives them, by our own encoder where that does the same (see `readEncoding`), else by the library. */
export function createEncoder(files: TokenizerFiles, vocabulary: Vocabulary): Encoder {
  const ordinary = ordinaryOf(vocabulary.added)
  const encoding = readEncoding(files, vocabulary, ordinary)
  return withSpecials(
    encoding === null ? libraryEncoder(files, ordinary) : byteLevelEncoder(encoding),
    vocabulary.added,
  )
}

/** Tokens that are added but not special, which an encoder recognises in any text. */
export function ordinaryOf(added: readonly AddedToken[]): AddedToken[] {
  return added.filter(({ special, content }) => !special && content !== '')
}

/**
 * The library always turns the literal of a special token into its id. So an encoder is given the vocabulary without its special
 * tokens, and where they are wanted the text is split around their literals first, leftmost and longest first, as the Rust
 * implementation does.
 */
export function withSpecials(encodeOrdinary: (text: string) => number[], added: readonly AddedToken[]): Encoder {
  const specials = added.filter(({ special, content }) => special && content !== '')
  const byContent = new Map(specials.map((token) => [token.content, token]))
  const literals = literalPattern(specials)
  return (text, areWanted) => {
    if (!areWanted || literals === null) return encodeOrdinary(text)
    const ids: number[] = []
    let at = 0
    for (const match of text.matchAll(literals)) {
      const token = byContent.get(match[0]) as AddedToken
      // White space that the token before took may reach beyond this one's own.
      const before = text.slice(at, Math.max(at, match.index))
      append(ids, encodeOrdinary(token.leftStrip ? before.trimEnd() : before))
      ids.push(token.id)
      at = match.index + match[0].length
      if (token.rightStrip) while (/\s/u.test(text.charAt(at))) at++
    }
    append(ids, encodeOrdinary(text.slice(at)))
    return ids
  }
}

function append(ids: number[], more: readonly number[]): void {
  for (const id of more) ids.push(id)
}

function libraryEncoder(files: TokenizerFiles, ordinary: readonly AddedToken[]): (text: string) => number[] {
  const library = createLibrary(files, ordinary)
  return (text) => {
    if (text === '') return []
    const ids: readonly (number | undefined)[] = library.encode(text, { add_special_tokens: false }).ids
    // A vocabulary without an unknown token leaves out what it cannot spell, as in the Rust implementation.
    return ids.filter((id) => id !== undefined)
  }
}

/** `ordinary` are the tokens that are added but not special, the only ones that the library is to know. */
function createLibrary(files: TokenizerFiles, ordinary: readonly AddedToken[]): LibraryTokenizer {
  const root = isFields(files.tokenizer) ? files.tokenizer : {}
  try {
    return new LibraryTokenizer(
      {
        normalizer: null,
        pre_tokenizer: null,
        post_processor: null,
        decoder: null,
        ...root,
        added_tokens: ordinary.map(({ id, content, leftStrip, rightStrip }) => ({
          id,
          content,
          special: false,
          normalized: false,
          single_word: false,
          lstrip: leftStrip,
          rstrip: rightStrip,
        })),
      },
      { ...(isFields(files.config) ? files.config : {}), additional_special_tokens: [] },
    )
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TokenizerError(`this tokenizer can show ids but cannot encode text: ${why}.`)
  }
}
