import type { Tokenizer } from '../../tokens/tokenizer.ts'

/**
 * A tokenizer without its vocabulary: enough to frame, judge and decode ids, cheap to post to every audit worker. The files
 * behind it take a few hundred milliseconds to parse, and most dumps never need a text encoded.
 */
export type PreparedTokenizer = Pick<Tokenizer, 'id' | 'title' | 'origin' | 'table' | 'frame' | 'template' | 'learned'>

/** A check wanted to encode a text; the job is done again once the whole tokenizer is loaded. */
export class EncoderNotLoaded extends Error {
  constructor() {
    super('The encoder of this tokenizer is not loaded.')
    this.name = 'EncoderNotLoaded'
  }
}

export function prepared({ id, title, origin, table, frame, template, learned }: Tokenizer): PreparedTokenizer {
  return { id, title, origin, table, frame, template, ...(learned === undefined ? {} : { learned }) }
}

/**
 * The tokenizers as a worker uses them at first; `encode` throws `EncoderNotLoaded`. Sources that share their parts share
 * the tokenizer, and with it all that is derived from a vocabulary once.
 */
export function withoutEncoders(parts: readonly (PreparedTokenizer | null)[]): (Tokenizer | null)[] {
  const made = new Map<PreparedTokenizer, Tokenizer>()
  return parts.map((part) => {
    if (part === null) return null
    const tokenizer = made.get(part) ?? withoutEncoder(part)
    made.set(part, tokenizer)
    return tokenizer
  })
}

function withoutEncoder(parts: PreparedTokenizer): Tokenizer {
  const missing = () => {
    throw new EncoderNotLoaded()
  }
  return { ...parts, raw: missing, encode: missing }
}
