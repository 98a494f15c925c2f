import { TokenKind, type TokenTable } from '../../shared/tokens/tokenizer.ts'

/** A vocabulary of these pieces, of which a number is a byte. */
export function tableOf(pieces: readonly (string | number)[]): TokenTable {
  const encoder = new TextEncoder()
  const bytes = pieces.map((piece) => (typeof piece === 'number' ? Uint8Array.of(piece) : encoder.encode(piece)))
  const offsets = new Uint32Array(pieces.length + 1)
  for (const [id, { length }] of bytes.entries()) offsets[id + 1] = (offsets[id] as number) + length
  const kinds = new Uint8Array(pieces.length).fill(TokenKind.ordinary)
  return { size: pieces.length, bytes: Uint8Array.from(bytes.flatMap((each) => [...each])), offsets, kinds }
}
