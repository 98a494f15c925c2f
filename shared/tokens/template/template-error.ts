/** A chat template that cannot be parsed, or that refuses a conversation. The message is one sentence for people. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}
