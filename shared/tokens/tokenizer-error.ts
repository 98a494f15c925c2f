/** Files that are not a tokenizer, or one that cannot encode. The message is one sentence for people. */
export class TokenizerError extends Error {
  override readonly name = 'TokenizerError'
}
